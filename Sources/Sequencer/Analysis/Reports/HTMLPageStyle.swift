/// How the page looks around its timeline.
enum HTMLStyle {
    /// A box with more rows than this shows some of them, and scrolls.
    private static let maximumRowsAtOnce = 40

    /// The classes of a box with this number of rows.
    static func scrollClass(rows: Int) -> String { rows > maximumRowsAtOnce ? "scroll tall" : "scroll" }

    static let css = """
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 2400px; padding: 24px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
        header, #details { overflow-wrap: anywhere; }
        h1 { margin: 0; font-size: 24px; }
        h2 { margin: 28px 0 8px; font-size: 17px; }
        .verdict { display: inline-block; margin: 8px 0; padding: 2px 12px; border: 2px solid; border-radius: 16px; font-weight: 700; }
        .pass { color: var(--good); }
        .fail { color: var(--bad); }
        .stopped { color: var(--stopped); }
        .figures { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 8px 0; }
        .figures dt, #details dt { color: var(--faint); font-size: 12px; }
        .figures dd, #details dd { margin: 0; font-variant-numeric: tabular-nums; }
        .scroll { overflow: auto; isolation: isolate; border: 1px solid var(--rule); border-radius: 6px; }
        .tall { max-height: 75vh; }
        #tools { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; margin: 8px 0; }
        [hidden] { display: none !important; }
        input, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint); border-radius: 6px; padding: 2px 8px; }
        thead button { border: 0; padding: 0; font-weight: inherit; cursor: pointer; }
        thead [aria-sort] button::after { content: " ▴"; }
        thead [aria-sort="descending"] button::after { content: " ▾"; }
        #operations, #operations thead, #operations tbody { display: block; }
        #operations { min-width: 92em; font-size: 13px; line-height: 20px; }
        #operations thead { position: sticky; top: 0; z-index: 2; }
        #operations tr { display: grid; background: var(--paper); border-bottom: 1px solid var(--rule); grid-template-columns: \
        minmax(11em, 2fr) 7.5em repeat(7, 6em) 5em 6em minmax(10em, 3fr) minmax(10em, 3fr); }
        #operations tbody tr { scroll-margin-top: 34px; }
        .tall #operations tbody tr { content-visibility: auto; contain-intrinsic-size: auto 46px; }
        #operations th:first-child { position: sticky; left: 0; background: inherit; }
        th, td { padding: 4px 6px; text-align: left; overflow-wrap: anywhere; }
        td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        tbody th { font-weight: 400; }
        tr.critical th { color: var(--critical); font-weight: 600; }
        #operations tr.selected, #operations tr:target { background: var(--mark); }
        td.failed { color: var(--bad); }
        td.fell-back { color: var(--fell-back); }
        td.cancelled { color: var(--faint); }
        small { display: block; color: var(--faint); font-weight: 400; line-height: 16px; }
        a { color: inherit; }
        a:focus-visible, .timeline a:focus-visible { outline: 2px solid var(--work); outline-offset: -2px; }
        .timeline.choosing a.op .track, .timeline.choosing .lane .op, .timeline .lane .out, .timeline.filtered .lane svg { opacity: .3; }
        .timeline.choosing a.op .label { color: var(--faint); }
        .timeline.choosing a.chosen .track, .timeline.choosing a.before .track, .timeline.choosing a.after .track, \
        .timeline.choosing .lane .chosen { opacity: 1; }
        .timeline.choosing a.chosen .label, .timeline.choosing a.before .label, .timeline.choosing a.after .label { color: var(--ink); }
        .timeline a.chosen .label { font-weight: 700; text-decoration: underline; }
        .timeline #links > .link { bottom: auto; z-index: 2; border: 0 dashed var(--ink); border-left-width: 1px; border-bottom-width: 1px; }
        .timeline #links > .up { border-bottom-width: 0; border-top-width: 1px; }
        #details { position: sticky; bottom: 0; z-index: 1; max-height: 40vh; overflow: auto; margin-top: 8px; padding: 8px 14px; background: var(--paper); \
        border: 1px solid var(--rule); border-radius: 6px; }
        #details dl { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 4px 0; }
        #details button { font: inherit; }
        @media (max-width: 700px) { body { padding: 12px; }
        #operations tr { grid-template-columns: 9em 7.5em repeat(7, 6em) 5em 6em 10em minmax(13em, 1fr); } }
        @media print { .scroll { max-height: none; overflow: visible; } #details, #tools { display: none; } }
        """
}
