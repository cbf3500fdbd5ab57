/// The page's script: an operation that is pointed at, chosen or focused shows its numbers, its dependencies and its dependents; the timeline is
/// magnified, and searched and sorted together with the table.
///
/// It reads the page's own table, so that the page holds the data once, and writes text only as text.
enum HTMLScript {
    static let javaScript = """
        (() => {
          'use strict';
          const timeline = document.getElementById('timeline'), details = document.getElementById('details');
          const links = document.getElementById('links'), body = document.querySelector('#operations tbody');
          const cells = [...document.querySelectorAll('#operations thead th')], headings = cells.map(cell => cell.textContent);
          const all = [...body.rows];
          let bars = [...timeline.querySelectorAll('a.op')];
          const barOf = new Map(bars.map(bar => [bar.dataset.op, bar]));
          const lanes = new Map([...timeline.querySelectorAll('[data-lane]')].map(bar => [bar.dataset.lane, bar]));
          const row = id => document.getElementById('row-' + id);
          const before = id => (row(id)?.dataset.after ?? '').split(' ').filter(Boolean);
          let successors = null;
          // Made when it is first needed: a large page opens without it.
          const after = id => {
            if (!successors) {
              successors = new Map();
              for (const each of all)
                for (const earlier of (each.dataset.after ?? '').split(' ').filter(Boolean)) {
                  if (!successors.has(earlier)) successors.set(earlier, []);
                  successors.get(earlier).push(each.id.slice(4));
                }
            }
            return successors.get(id) ?? [];
          };
          const name = id => row(id).querySelector('th a').textContent;
          let pinned = null, shown = null, marked = [];

          const mark = (element, style) => { if (element) { element.classList.add(style); marked.push([element, style]); } };
          const make = (tag, text, parent) => {
            const element = document.createElement(tag);
            if (text !== undefined) element.textContent = text;
            parent.append(element);
            return element;
          };
          // Not as arguments of one call: Safari throws when there are too many.
          const gather = elements => {
            const fragment = document.createDocumentFragment();
            for (const element of elements) fragment.append(element);
            return fragment;
          };

          // All are measured before the first is drawn: the page would be laid out anew for each.
          const connect = pairs => links.append(gather(pairs.map(measure).filter(Boolean).map(draw)));
          function measure([from, to]) {
            const start = barOf.get(from)?.querySelector('.bar, .never'), end = barOf.get(to)?.querySelector('.bar, .never');
            if (!start?.offsetParent || !end?.offsetParent) return null;
            const [one, two, frame] = [start, end, links].map(each => each.getBoundingClientRect());
            const y = (one.top + one.bottom) / 2 - frame.top, endY = (two.top + two.bottom) / 2 - frame.top;
            return { name: y < endY ? 'link' : 'link up', place: {
              left: `${Math.min(one.right, two.left) - frame.left}px`, width: `${Math.abs(two.left - one.right)}px`,
              top: `${Math.min(y, endY)}px`, height: `${Math.abs(endY - y)}px` } };
          }
          function draw({ name, place }) {
            const link = document.createElement('span');
            link.className = name;
            Object.assign(link.style, place);
            return link;
          }

          function list(heading, ids, parent) {
            if (!ids.length) return;
            make('dt', heading, parent);
            const entry = make('dd', undefined, parent);
            ids.slice(0, 50).forEach((id, place) => {
              if (place) entry.append(', ');
              const link = make('a', name(id), entry);
              link.href = '#row-' + id;
              link.dataset.choose = id;
            });
            if (ids.length > 50) entry.append(` and ${ids.length - 50} more`);
          }

          function show(id) {
            if (id === shown) return;
            shown = id;
            for (const [element, style] of marked) element.classList.remove(style);
            marked = [];
            links.replaceChildren();
            timeline.classList.toggle('choosing', id !== null);
            details.hidden = id === null;
            if (id === null) return;
            const earlier = before(id), later = after(id);
            mark(barOf.get(id), 'chosen');
            mark(lanes.get(id), 'chosen');
            mark(row(id), 'selected');
            for (const other of earlier) mark(barOf.get(other), 'before');
            for (const other of later) mark(barOf.get(other), 'after');
            connect([...earlier.map(other => [other, id]), ...later.map(other => [id, other])]);
            details.replaceChildren();
            make('strong', name(id), details);
            const numbers = make('dl', undefined, details), values = row(id).cells;
            for (let column = 1; column < values.length; column += 1) {
              if (headings[column] === 'After' || !values[column].textContent.trim()) continue;
              const pair = make('div', undefined, numbers);
              make('dt', headings[column], pair);
              make('dd', values[column].textContent, pair);
            }
            const neighbours = make('dl', undefined, details);
            list('Comes after', earlier, make('div', undefined, neighbours));
            list('Comes before', later, make('div', undefined, neighbours));
            // A row that is scrolled to stops above this box.
            document.documentElement.style.scrollPaddingBottom = `${details.offsetHeight}px`;
          }

          const seen = () => bars.filter(bar => !bar.hidden);

          // One stop for the tabulator, on a bar that is seen; arrows do the rest.
          function stopAt(bar) {
            for (const each of bars) if (each.tabIndex === 0) each.tabIndex = -1;
            const stop = bar && !bar.hidden ? bar : seen()[0];
            if (stop) stop.tabIndex = 0;
          }

          function choose(id, focus) {
            pinned = id;
            show(id);
            const bar = barOf.get(id);
            stopAt(bar);
            if (bar && focus) {
              bar.focus({ preventScroll: true });
              // Not the row, which is as wide as the timeline: magnified, its bar may be far off.
              bar.querySelector('.bar, .never').scrollIntoView({ block: 'nearest', inline: 'nearest' });
            }
          }

          const target = event => event.target.closest?.('a.op, [data-lane]');
          const idOf = element => element.dataset.op ?? element.dataset.lane;
          timeline.addEventListener('pointerover', event => { const bar = target(event); if (bar && pinned === null) show(idOf(bar)); });
          timeline.addEventListener('pointerleave', () => { if (pinned === null) show(null); });
          timeline.addEventListener('focusin', event => { const bar = target(event); if (bar && idOf(bar) !== pinned) choose(idOf(bar), false); });
          timeline.addEventListener('click', event => {
            const bar = target(event);
            if (!bar) return choose(null, false);
            event.preventDefault();
            choose(idOf(bar), true);
          });
          timeline.addEventListener('keydown', event => {
            const bar = target(event);
            if (!bar || event.altKey || event.ctrlKey || event.metaKey) return;
            const id = idOf(bar), shownBars = seen(), place = shownBars.indexOf(bar);
            const drawn = ids => ids.find(other => barOf.has(other) && !barOf.get(other).hidden);
            const next = {
              ArrowDown: () => shownBars[place + 1]?.dataset.op, ArrowUp: () => shownBars[place - 1]?.dataset.op,
              Home: () => shownBars[0].dataset.op, End: () => shownBars[shownBars.length - 1].dataset.op,
              ArrowLeft: () => drawn(before(id)), ArrowRight: () => drawn(after(id)),
              Enter: () => { row(id).scrollIntoView({ block: 'center' }); return id; },
            }[event.key];
            if (!next) return;
            event.preventDefault();
            const found = next();
            if (found !== undefined) choose(found, true);
          });
          document.addEventListener('keydown', event => { if (event.key === 'Escape') choose(null, false); });
          document.addEventListener('click', event => {
            const link = event.target.closest?.('[data-choose]');
            if (link) choose(link.dataset.choose, false);
          });
          for (const bar of bars) bar.tabIndex = -1;
          choose(null, false);

          const search = document.getElementById('search'), found = document.getElementById('found'), texts = new Map();
          const textOf = each => {
            if (!texts.has(each)) texts.set(each, [...each.cells].map(cell => cell.textContent).join(' ').toLowerCase());
            return texts.get(each);
          };
          // Those of scopes are in no row of the table: they are found by the words at the pointer.
          const scoped = [...document.querySelectorAll('#scopes .op')];
          function find() {
            const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            for (const each of all) {
              const fits = words.every(word => textOf(each).includes(word)), id = each.id.slice(4);
              if (fits) count += 1;
              each.hidden = !fits;
              if (barOf.has(id)) barOf.get(id).hidden = !fits;
              lanes.get(id)?.classList.toggle('out', !fits);
            }
            for (const each of scoped) {
              const text = each.title.toLowerCase();
              each.hidden = !words.every(word => text.includes(word));
              if (!each.hidden) count += 1;
            }
            found.textContent = words.length ? `${count} of ${all.length + scoped.length}` : '';
            timeline.classList.toggle('filtered', words.length > 0);
            stopAt(bars.find(bar => bar.tabIndex === 0));
            moved();
          }
          search.addEventListener('input', find);
          document.addEventListener('keydown', event => {
            if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select')) return;
            event.preventDefault();
            search.focus();
          });

          // The critical path joins rows in the order of the page, all of them.
          function moved() {
            timeline.classList.toggle('moved', sorted !== null || timeline.classList.contains('filtered'));
            const id = shown;
            shown = null;
            if (id !== null) show(id);
          }
          const order = document.getElementById('sort'), units = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, min: 6e10 };
          const original = [all.slice(), bars.slice()];
          let sorted = null;
          function valueOf(id, column) {
            const text = row(id).cells[column].textContent, [number, unit] = text.split(' ');
            return cells[column].classList.contains('n') ? (text ? parseFloat(number) * (units[unit] ?? 1) : -Infinity) : text.toLowerCase();
          }
          function sort(column, falls) {
            sorted = column === null ? null : { column, falls };
            const [rows, drawn] = original.map(each => each.slice());
            if (sorted) {
              const values = new Map(all.map(each => [each.id.slice(4), valueOf(each.id.slice(4), column)]));
              const compare = (left, right) => {
                const [a, b] = [values.get(left), values.get(right)];
                return a === b ? 0 : ((typeof a === 'string' ? a.localeCompare(b) : a - b) < 0) === falls ? 1 : -1;
              };
              rows.sort((left, right) => compare(left.id.slice(4), right.id.slice(4)));
              drawn.sort((left, right) => compare(left.dataset.op, right.dataset.op));
            }
            bars = drawn;
            body.append(gather(rows));
            document.getElementById('rows').prepend(gather(drawn));
            cells.forEach((cell, place) => {
              if (place === column) cell.setAttribute('aria-sort', falls ? 'descending' : 'ascending'); else cell.removeAttribute('aria-sort');
            });
            order.value = column === null ? '' : String(column);
            moved();
          }
          make('option', 'start (timeline), as added (table)', order).value = '';
          cells.forEach((cell, column) => {
            make('option', headings[column].toLowerCase(), order).value = String(column);
            const button = make('button', headings[column], cell);
            button.type = 'button';
            cell.firstChild.remove();
            // Largest first, of numbers: these are looked for.
            const falls = cell.classList.contains('n');
            button.addEventListener('click', () => sort(column, sorted?.column === column ? !sorted.falls : falls));
          });
          order.addEventListener('change', () => sort(order.value === '' ? null : Number(order.value), cells[order.value]?.classList.contains('n') ?? false));

          const view = document.getElementById('view'), grid = document.getElementById('grid'), axis = document.getElementById('axis');
          const extent = Number(timeline.dataset.extent);
          let zoom = 1;
          const time = value => {
            const [unit, size] = value >= 1e9 ? ['s', 1e9] : value >= 1e6 || !value ? ['ms', 1e6] : value >= 1e3 ? ['µs', 1e3] : ['ns', 1];
            return `${Number((value / size).toFixed(6))} ${unit}`;
          };
          // Round points in time, as many as there is room for.
          function rule() {
            const most = Math.max(grid.clientWidth / 80, 2);
            let step = 1;
            for (let factor = 1; extent / step > most; factor *= 10)
              for (const multiple of [1, 2, 5]) if (extent / step > most) step = factor * multiple;
            axis.classList.add('ruled');
            axis.replaceChildren();
            grid.replaceChildren();
            for (let number = 0; number * step <= extent; number += 1) {
              const left = `${(number * step / extent) * 100}%`;
              make('span', time(number * step), axis).style.left = left;
              const line = make('span', undefined, grid);
              line.className = 'tick';
              line.style.left = left;
            }
          }
          function magnify(factor, at) {
            const name = grid.offsetLeft, point = (view.scrollLeft + at - name) / grid.clientWidth;
            zoom = Math.min(Math.max(zoom * factor, 1), 64);
            timeline.style.setProperty('--zoom', zoom);
            view.scrollLeft = point * grid.clientWidth + name - at;
            rule();
            moved();
          }
          const middle = () => (grid.offsetLeft + view.clientWidth) / 2;
          document.getElementById('closer').addEventListener('click', () => magnify(2, middle()));
          document.getElementById('farther').addEventListener('click', () => magnify(1 / 2, middle()));
          document.getElementById('whole').addEventListener('click', () => magnify(1 / 64, middle()));
          view.addEventListener('wheel', event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            magnify(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - view.getBoundingClientRect().left);
          }, { passive: false });
          view.addEventListener('keydown', event => {
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            const factor = { '+': 2, '=': 2, '-': 1 / 2, '0': 1 / 64 }[event.key];
            if (!factor) return;
            event.preventDefault();
            const bar = document.activeElement?.querySelector?.('.bar, .never');
            magnify(factor, bar ? bar.getBoundingClientRect().left - view.getBoundingClientRect().left : middle());
          });
          addEventListener('resize', rule);
          document.getElementById('tools').hidden = false;
          rule();
        })();
        """
}
