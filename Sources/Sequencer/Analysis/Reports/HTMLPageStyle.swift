import Sequencer

/// How the page looks around its timeline.
enum HTMLStyle {
    static let css = """
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 1400px; padding: 24px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
        h1 { margin: 0; font-size: 24px; }
        h2 { margin: 28px 0 8px; font-size: 17px; }
        .verdict { display: inline-block; margin: 8px 0; padding: 2px 12px; border: 2px solid; border-radius: 16px; font-weight: 700; }
        .verdict.pass { color: var(--good); }
        .verdict.fail { color: var(--bad); }
        .verdict.stopped { color: var(--stopped); }
        .figures { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 8px 0; }
        .figures dt, #details dt { color: var(--faint); font-size: 12px; }
        .figures dd, #details dd { margin: 0; font-variant-numeric: tabular-nums; }
        .scroll { overflow: auto; max-height: 75vh; border: 1px solid var(--rule); border-radius: 6px; }
        .scroll svg { display: block; width: 100%; min-width: 900px; height: auto; }
        .legend, .hint { color: var(--faint); font-size: 12px; }
        table { width: 100%; border-collapse: collapse; }
        th, td { padding: 4px 10px; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
        thead th { position: sticky; top: 0; background: var(--paper); }
        td:nth-child(10) { white-space: nowrap; }
        td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        tbody th { font-weight: 400; }
        tr.critical th { color: var(--critical); font-weight: 600; }
        tr.selected, tr:target { background: var(--mark); }
        td.bad { color: var(--bad); }
        small { display: block; color: var(--faint); font-weight: 400; }
        a { color: inherit; }
        a:focus-visible, .timeline a:focus-visible { outline: 2px solid var(--work); outline-offset: -2px; }
        .timeline.choosing a.op, .timeline.choosing .lanes .op { opacity: .35; }
        .timeline.choosing a.chosen, .timeline.choosing a.before, .timeline.choosing a.after, .timeline.choosing .lanes .chosen { opacity: 1; }
        .timeline a.chosen .label { font-weight: 700; text-decoration: underline; }
        .timeline .link { fill: none; stroke: var(--ink); stroke-width: 1; stroke-dasharray: 4 2; pointer-events: none; }
        #details { position: sticky; bottom: 0; max-height: 40vh; overflow: auto; margin-top: 8px; padding: 8px 14px; background: var(--paper); \
        border: 1px solid var(--rule); border-radius: 6px; }
        #details dl { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 4px 0; }
        #details button { font: inherit; }
        @media print { .scroll { max-height: none; overflow: visible; } #details { display: none; } }
        """
}

/// The page's script: an operation that is pointed at, chosen or focused shows its numbers, its dependencies and its dependents.
///
/// It reads the page's own table, so that the page holds the data once, and writes text only as text.
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
