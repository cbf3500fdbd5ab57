/// The page's script: it searches, filters and sorts the rows that are drawn, and magnifies the timeline.
///
/// It reads the page's own table, so that the page holds the data once, and writes text only as text.
enum PageScript {
    static let javaScript = """
        (() => {
          'use strict';
          const get = id => document.getElementById(id), timeline = get('timeline'), view = get('view'), rows = get('rows'), lines = get('lines');
          const body = document.querySelector('#operations tbody'), cells = [...document.querySelectorAll('#operations thead th')];
          const all = [...body.rows], first = new Map(all.map((row, place) => [row, place])), idOf = element => element.dataset.op;
          const byId = selector => new Map([...document.querySelectorAll(selector)].map(each => [each.dataset.op ?? each.dataset.lane, each]));
          const barOf = byId('#rows a.op'), laneOf = byId('[data-lane]');
          const scoped = [...document.querySelectorAll('#rows div.op')];

          // Search and filters.
          const search = get('search'), filters = [...document.querySelectorAll('#tools [data-show]')];
          function find() {
            const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
            const kinds = filters.filter(each => each.ariaPressed === 'true').map(each => each.dataset.show).join(', ');
            let count = 0;
            for (const each of all.concat(scoped)) {
              const text = (each.cells ? each.textContent : each.title).toLowerCase();
              const fits = (!kinds || each.matches(kinds)) && words.every(word => text.includes(word));
              for (const shown of [each, barOf.get(idOf(each))]) if (shown) shown.hidden = !fits;
              laneOf.get(idOf(each))?.classList.toggle('out', !fits);
              count += fits;
            }
            const isFiltered = words.length > 0 || kinds !== '';
            get('found').textContent = isFiltered ? `${count} of ${all.length + scoped.length}` : '';
            timeline.classList.toggle('filtered', isFiltered);
          }
          search.addEventListener('input', find);
          for (const each of filters) each.addEventListener('click', () => { each.ariaPressed = String(each.ariaPressed !== 'true'); find(); });

          // Rows of the table and of the timeline have one order: that of starts, unless asked otherwise.
          const start = cells.findIndex(cell => cell.textContent === 'Start'), units = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, min: 6e10 };
          const isNumber = column => cells[column].classList.contains('n');
          let sorted = start, falls = false;
          function valueOf(row, column) {
            const text = row.cells[column].textContent, [number, unit] = text.split(' ');
            if (column === start) return first.get(row);
            return isNumber(column) ? (text ? parseFloat(number) * (units[unit] ?? 1) : -Infinity) : text.toLowerCase();
          }
          function sort(column) {
            // Largest first, of numbers: these are looked for.
            falls = column === sorted ? !falls : column !== start && isNumber(column);
            sorted = column;
            const values = new Map(all.map(row => [row, valueOf(row, column)]));
            all.sort((left, right) => {
              const [a, b] = [values.get(left), values.get(right)];
              return (a === b ? 0 : typeof a === 'string' ? a.localeCompare(b) : a - b) * (falls ? -1 : 1) || first.get(left) - first.get(right);
            });
            // One at a time: Safari throws where a call has too many arguments.
            for (const row of all) body.append(row);
            for (const row of [...all].reverse()) if (barOf.has(idOf(row))) rows.prepend(barOf.get(idOf(row)));
            cells.forEach((cell, place) => { cell.ariaSort = place === column ? (falls ? 'descending' : 'ascending') : null; });
            timeline.classList.toggle('sorted', column !== start || falls);
          }
          cells.forEach((cell, column) => {
            const button = document.createElement('button');
            button.type = 'button';
            button.textContent = cell.textContent;
            cell.replaceChildren(button);
            button.addEventListener('click', () => sort(column));
          });

          // Magnification: by buttons, and by dragging over a part of the time.
          const extent = Number(timeline.dataset.extent), axis = timeline.querySelector('.axis'), grid = lines.querySelector('.grid');
          const part = x => (x - lines.getBoundingClientRect().left) / lines.getBoundingClientRect().width;
          let zoom = 1, from = null, isDragged = false;
          const time = value => {
            const [unit, size] = Object.entries(units).filter(([unit, size]) => size <= value && unit !== 'min').pop() ?? ['ms', 1e6];
            return `${Number((value / size).toFixed(6))} ${unit}`;
          };
          // Round points in time, as many as there is room for.
          const line = axis.querySelector('text').getAttribute('y');
          function rule() {
            const most = Math.max(lines.getBoundingClientRect().width / 80, 2), times = [];
            let step = 1;
            for (let factor = 1; extent / step > most; factor *= 10)
              for (const multiple of [1, 2, 5]) if (extent / step > most) step = factor * multiple;
            for (let now = 0; now <= extent; now += step) times.push([now, now / extent]);
            axis.classList.add('ruled');
            axis.innerHTML = times.map(([now, at]) =>
              `<text x="${at * 100}%" y="${line}" text-anchor="${now ? (at > 0.97 ? 'end' : 'middle') : 'start'}">${time(now)}</text>`).join('');
            grid.innerHTML = times.map(([, at]) => `<line class="tick" x1="${at * 100}%" x2="${at * 100}%" y1="0" y2="100%"/>`).join('');
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
          for (const [id, factor] of Object.entries({ closer: 2, farther: 1 / 2, whole: 1 / 256 })) get(id).addEventListener('click', () => magnify(factor, middle()));
          const range = get('range');
          for (const event of ['dragstart', 'selectstart']) view.addEventListener(event, each => { if (from !== null) each.preventDefault(); });
          view.addEventListener('pointerdown', event => { if (event.button === 0 && event.pointerType === 'mouse' && part(event.clientX) > 0) from = event.clientX; });
          addEventListener('pointermove', event => {
            if (from === null) return;
            range.style.left = `${Math.min(from, event.clientX) - timeline.getBoundingClientRect().left}px`;
            range.style.width = `${Math.abs(event.clientX - from)}px`;
            range.hidden = Math.abs(event.clientX - from) < 6;
          });
          addEventListener('pointerup', event => {
            if (from !== null && !range.hidden) {
              isDragged = true;
              const left = Math.min(from, event.clientX), room = view.getBoundingClientRect().right - edge() - 24;
              const row = [...rows.querySelectorAll('a.op:not([hidden])')].find(each => parseFloat(each.querySelector('.number').style.getPropertyValue('--at')) / 100 >= part(left));
              magnify(room / Math.abs(event.clientX - from), left, edge());
              view.scrollTop = row?.offsetTop ?? 0;
            }
            from = null;
            range.hidden = true;
          });
          view.addEventListener('click', event => { if (isDragged) event.preventDefault(); isDragged = false; }, true);
          addEventListener('resize', rule);
          get('tools').hidden = false;
          rule();
        })();
        """
}
