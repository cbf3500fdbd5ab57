/// The page's script: it searches, filters and sorts the rows that are drawn, magnifies the timeline, and shows what an operation waited for.
///
/// It reads the page's own table, so that the page holds the data once, and writes text only as text.
enum PageScript {
    static let javaScript = """
        (() => {
          'use strict';
          const get = id => document.getElementById(id), timeline = get('timeline'), view = get('view'), rows = get('rows'), lines = get('lines');
          const body = document.querySelector('#operations tbody'), cells = [...document.querySelectorAll('#operations thead th')];
          const headings = cells.map(cell => cell.textContent), start = headings.indexOf('Start');
          const all = [...body.rows], first = new Map(all.map((row, place) => [row, place])), idOf = element => element.dataset.op;
          const byId = selector => new Map([...document.querySelectorAll(selector)].map(each => [each.dataset.op ?? each.dataset.lane, each]));
          const rowOf = byId('#operations tr[data-op]'), barOf = byId('#rows a.op'), laneOf = byId('[data-lane]');
          const scoped = [...document.querySelectorAll('#rows div.op')];
          const make = (tag, text, parent) => {
            const element = document.createElement(tag);
            element.textContent = text;
            parent.append(element);
            return element;
          };
          // Not as arguments of one call: Safari throws when there are too many.
          const gather = elements => elements.reduce((fragment, each) => { fragment.append(each); return fragment; }, document.createDocumentFragment());

          // Search and filters.
          const search = get('search'), filters = [...document.querySelectorAll('#tools [data-show]')], texts = new Map();
          const textOf = each => {
            if (!texts.has(each)) texts.set(each, (each.cells ? [...each.cells].map(cell => cell.textContent).join(' ') : each.title).toLowerCase());
            return texts.get(each);
          };
          function find() {
            const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
            const kinds = filters.filter(each => each.ariaPressed === 'true').map(each => each.dataset.show).join(', ');
            let count = 0;
            for (const each of all.concat(scoped)) {
              const fits = (!kinds || each.matches(kinds)) && words.every(word => textOf(each).includes(word));
              for (const shown of [each, barOf.get(idOf(each))]) if (shown) shown.hidden = !fits;
              laneOf.get(idOf(each))?.classList.toggle('out', !fits);
              count += fits;
            }
            const isFiltered = words.length > 0 || kinds !== '';
            get('found').textContent = isFiltered ? `${count} of ${all.length + scoped.length}` : '';
            timeline.classList.toggle('filtered', isFiltered);
            stopAt(null);
          }
          search.addEventListener('input', find);
          for (const each of filters) each.addEventListener('click', () => { each.ariaPressed = String(each.ariaPressed !== 'true'); find(); });

          // Rows of the table and of the timeline have one order: that of starts, unless asked otherwise.
          const order = get('sort'), units = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, min: 6e10 };
          let sorted = { column: start, falls: false };
          const isNumber = column => cells[column].classList.contains('n');
          function valueOf(row, column) {
            const text = row.cells[column].textContent, [number, unit] = text.split(' ');
            if (column === start) return first.get(row);
            return isNumber(column) ? (text ? parseFloat(number) * (units[unit] ?? 1) : -Infinity) : text.toLowerCase();
          }
          function sort(column, falls) {
            sorted = { column, falls };
            const values = new Map(all.map(row => [row, valueOf(row, column)]));
            all.sort((left, right) => {
              const [a, b] = [values.get(left), values.get(right)];
              return (a === b ? 0 : typeof a === 'string' ? a.localeCompare(b) : a - b) * (falls ? -1 : 1) || first.get(left) - first.get(right);
            });
            body.append(gather(all));
            rows.prepend(gather(all.map(row => barOf.get(idOf(row))).filter(Boolean)));
            cells.forEach((cell, place) => { cell.ariaSort = place === column ? (falls ? 'descending' : 'ascending') : null; });
            order.value = String(column);
            timeline.classList.toggle('sorted', column !== start || falls);
          }
          cells.forEach((cell, column) => {
            make('option', headings[column].toLowerCase(), order).value = String(column);
            cell.textContent = '';
            const button = make('button', headings[column], cell);
            button.type = 'button';
            // Largest first, of numbers: these are looked for.
            button.addEventListener('click', () => sort(column, sorted.column === column ? !sorted.falls : column !== start && isNumber(column)));
          });
          order.value = String(start);
          order.addEventListener('change', () => sort(Number(order.value), Number(order.value) !== start && isNumber(order.value)));

          // What an operation waited for, and what waited for it. One stop for the tabulator; arrows do the rest.
          let marked = [], successors = null;
          const before = id => (rowOf.get(id)?.dataset.after ?? '').split(' ').filter(Boolean);
          const after = id => {
            successors ??= all.reduce((map, row) => {
              for (const each of before(idOf(row))) map.set(each, [...(map.get(each) ?? []), idOf(row)]);
              return map;
            }, new Map());
            return successors.get(id) ?? [];
          };
          function show(id) {
            for (const each of marked) each.classList.remove('before', 'after');
            marked = [];
            for (const [style, ids] of [['before', before(id)], ['after', after(id)]])
              for (const each of ids.flatMap(other => [barOf.get(other), rowOf.get(other)]).filter(Boolean)) { each.classList.add(style); marked.push(each); }
          }
          const seen = () => [...rows.querySelectorAll('a.op:not([hidden])')];
          function stopAt(bar) {
            for (const each of barOf.values()) each.tabIndex = -1;
            const stop = bar ?? seen()[0];
            if (stop) stop.tabIndex = 0;
          }
          for (const event of ['pointerover', 'focusin'])
            document.addEventListener(event, ({ target }) => { const each = target.closest?.('[data-op]'); if (each) show(idOf(each)); });
          rows.addEventListener('keydown', event => {
            const bar = event.target.closest('a.op'), bars = seen(), place = bars.indexOf(bar);
            const drawn = ids => ids.map(id => barOf.get(id)).find(each => each && !each.hidden);
            const next = { ArrowDown: () => bars[place + 1], ArrowUp: () => bars[place - 1], ArrowLeft: () => drawn(before(idOf(bar))), ArrowRight: () => drawn(after(idOf(bar))) };
            const found = bar && !event.altKey && next[event.key]?.();
            if (!found) return;
            event.preventDefault();
            stopAt(found);
            found.focus();
          });

          // Magnification: by buttons, keys, the wheel with Control, and by dragging over a part of the time.
          const extent = Number(timeline.dataset.extent), svg = (tag, parent, attributes) => {
            const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
            for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
            parent.append(element);
            return element;
          };
          const part = x => (x - lines.getBoundingClientRect().left) / lines.getBoundingClientRect().width;
          let zoom = 1, from = null, isDragged = false;
          const time = value => {
            const [unit, size] = value >= 1e9 ? ['s', 1e9] : value >= 1e6 || !value ? ['ms', 1e6] : value >= 1e3 ? ['µs', 1e3] : ['ns', 1];
            return `${Number((value / size).toFixed(6))} ${unit}`;
          };
          // Round points in time, as many as there is room for.
          function rule() {
            const most = Math.max(lines.getBoundingClientRect().width / 80, 2), axis = timeline.querySelector('.axis'), grid = lines.querySelector('.grid');
            const y = axis.querySelector('text').getAttribute('y');
            let step = 1;
            for (let factor = 1; extent / step > most; factor *= 10)
              for (const multiple of [1, 2, 5]) if (extent / step > most) step = factor * multiple;
            axis.classList.add('ruled');
            axis.replaceChildren();
            grid.replaceChildren();
            for (let number = 0; number * step <= extent; number += 1) {
              const at = number * step / extent, x = `${at * 100}%`;
              svg('text', axis, { x, y, 'text-anchor': number ? (at > 0.97 ? 'end' : 'middle') : 'start' }).textContent = time(number * step);
              svg('line', grid, { class: 'tick', x1: x, x2: x, y1: '0', y2: '100%' });
            }
          }
          // The point of the launch that is at `x` comes to `to`.
          function magnify(factor, x, to = x) {
            const point = part(x);
            zoom = Math.min(Math.max(zoom * factor, 1), 256);
            timeline.style.setProperty('--zoom', zoom);
            const box = lines.getBoundingClientRect();
            view.scrollLeft += box.left + point * box.width - to;
            rule();
          }
          const edge = () => view.getBoundingClientRect().left + lines.getBoundingClientRect().left - timeline.getBoundingClientRect().left;
          const middle = () => view.getBoundingClientRect().left + view.clientWidth / 2;
          const buttons = { closer: 2, farther: 1 / 2, whole: 1 / 256 };
          for (const [id, factor] of Object.entries(buttons)) get(id).addEventListener('click', () => magnify(factor, middle()));
          view.addEventListener('wheel', event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            magnify(event.deltaY < 0 ? 1.25 : 0.8, event.clientX);
          }, { passive: false });
          document.addEventListener('keydown', event => {
            if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.('input, select')) return;
            const factor = { '+': 2, '=': 2, '-': 1 / 2, 0: 1 / 256 }[event.key];
            if (factor) magnify(factor, middle());
            else if (event.key === '/') search.focus();
            else return;
            event.preventDefault();
          });
          const range = get('range');
          for (const event of ['dragstart', 'selectstart']) view.addEventListener(event, each => { if (from !== null) each.preventDefault(); });
          view.addEventListener('pointerdown', event => { if (event.button === 0 && event.pointerType === 'mouse' && part(event.clientX) > 0) from = event.clientX; });
          addEventListener('pointermove', event => {
            if (from === null) return;
            const box = timeline.getBoundingClientRect();
            range.style.left = `${Math.min(from, event.clientX) - box.left}px`;
            range.style.width = `${Math.abs(event.clientX - from)}px`;
            range.hidden = Math.abs(event.clientX - from) < 6;
          });
          addEventListener('pointerup', event => {
            if (from !== null && !range.hidden) {
              isDragged = true;
              const left = Math.min(from, event.clientX), room = view.getBoundingClientRect().right - edge() - 24;
              const row = seen().find(each => parseFloat(each.querySelector('.number').style.getPropertyValue('--at')) / 100 >= part(left));
              magnify(room / Math.abs(event.clientX - from), left, edge());
              view.scrollTop = row?.offsetTop ?? 0;
            }
            from = null;
            range.hidden = true;
          });
          view.addEventListener('click', event => { if (isDragged) event.preventDefault(); isDragged = false; }, true);
          addEventListener('resize', rule);
          get('tools').hidden = false;
          stopAt(null);
          rule();
        })();
        """
}
