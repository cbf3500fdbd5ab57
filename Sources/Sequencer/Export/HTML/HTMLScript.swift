/// What the page does beyond being read: an operation that is pointed at, chosen or focused shows its numbers, what it came after, and what
/// came after it.
///
/// It reads the page's own table, so there is no second copy of the data, and writes text only as text.
enum HTMLScript {
    static let javaScript = """
        (() => {
          'use strict';
          const timeline = document.getElementById('timeline'), details = document.getElementById('details');
          const links = document.getElementById('links');
          const headings = [...document.querySelectorAll('#operations thead th')].map(cell => cell.textContent);
          const bars = [...timeline.querySelectorAll('a.op')];
          const barOf = new Map(bars.map(bar => [bar.dataset.op, bar]));
          const lanes = new Map([...timeline.querySelectorAll('[data-lane]')].map(bar => [bar.dataset.lane, bar]));
          const row = id => document.getElementById('row-' + id);
          const before = id => (row(id)?.dataset.after ?? '').split(' ').filter(Boolean);
          let successors = null;
          // Made when it is first needed: a large page opens without it.
          const after = id => {
            if (!successors) {
              successors = new Map();
              for (const each of document.querySelectorAll('#operations tbody tr'))
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

          function connect(from, to) {
            const start = barOf.get(from)?.querySelector('.bar, .never')?.getBBox(), end = barOf.get(to)?.querySelector('.bar, .never')?.getBBox();
            if (!start || !end) return;
            const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
            const x = start.x + start.width, y = start.y + start.height / 2;
            path.setAttribute('class', 'link');
            path.setAttribute('d', `M${x} ${y}V${end.y + end.height / 2}H${end.x}`);
            links.append(path);
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
            for (const other of earlier) { mark(barOf.get(other), 'before'); connect(other, id); }
            for (const other of later) { mark(barOf.get(other), 'after'); connect(id, other); }
            details.replaceChildren();
            make('strong', name(id), details);
            const numbers = make('dl', undefined, details), cells = row(id).cells;
            for (let column = 1; column < cells.length; column += 1) {
              if (headings[column] === 'After' || !cells[column].textContent.trim()) continue;
              const pair = make('div', undefined, numbers);
              make('dt', headings[column], pair);
              make('dd', cells[column].textContent, pair);
            }
            const neighbours = make('dl', undefined, details);
            list('Comes after', earlier, make('div', undefined, neighbours));
            list('Comes before', later, make('div', undefined, neighbours));
          }

          function choose(id, focus) {
            pinned = id;
            show(id);
            for (const bar of bars) if (bar.tabIndex === 0) bar.tabIndex = -1;
            const bar = id === null ? bars[0] : barOf.get(id);
            if (!bar) return;
            // One stop for the tabulator; arrows do the rest.
            bar.tabIndex = 0;
            if (focus) bar.focus();
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
            const id = idOf(bar), place = bars.indexOf(bar), drawn = ids => ids.find(other => barOf.has(other));
            const next = {
              ArrowDown: () => bars[place + 1]?.dataset.op, ArrowUp: () => bars[place - 1]?.dataset.op,
              Home: () => bars[0].dataset.op, End: () => bars[bars.length - 1].dataset.op,
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
        })();
        """
}
