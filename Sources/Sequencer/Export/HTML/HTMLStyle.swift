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
