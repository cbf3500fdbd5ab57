/// How timelines look: light or dark as the user prefers. Kinds of bars differ by shape where their colours have less
/// contrast than 3 to 1: failed bars are struck through, those of fallbacks half filled, those of cancelled operations
/// hollow; the critical path is a line below the bars, and operations on the main thread have a sign.
enum TimelineStyle {
    static let palette = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --work: #4c8dd6;
        --person: #4d3300; --critical: #a34a00; --thin: #7d8792; --pause: #fbf1d3; --bad: #cf222e; --fell-back: #0b7a75; --good: #1a7f37;
        --stopped: #8a5a00; --mark: #fff8c5; }
        @media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #30363d;
        --work: #3874b8; --person: #ffd666; --critical: #ffb069; --thin: #8b949e; --pause: #2b2411; --bad: #ff7b72; --fell-back: #4fd1c5; --good: #3fb950;
        --stopped: #d29922; --mark: #392e00; } }
        """

    /// The parts of ``TimelineParts``.
    static let shapes = """
        svg text { fill: var(--ink); }
        .bar, .rest { fill: var(--work); }
        [data-lane] .bar { stroke: var(--paper); }
        .interactive .bar { fill: var(--person); }
        .failed .bar { fill: var(--bad); }
        .strike { stroke: var(--paper); stroke-width: 2; stroke-dasharray: 5 3; }
        .fell-back .bar { fill: var(--paper); stroke: var(--fell-back); }
        .half { fill: var(--fell-back); }
        .cancelled .bar { fill: var(--paper); stroke: var(--faint); stroke-dasharray: 3 2; }
        .way { fill: var(--critical); }
        .path { stroke: var(--critical); stroke-width: 1.5; }
        .wait { fill: var(--thin); }
        .slack { stroke: var(--thin); stroke-width: 2; stroke-dasharray: 2 3; }
        .expected { stroke: var(--ink); stroke-width: 2; }
        .never { fill: var(--paper); stroke: var(--faint); }
        .pause { fill: var(--pause); }
        .tick { stroke: var(--rule); }
        line.budget { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 4; }
        line.milestone { stroke: var(--ink); stroke-width: 1.5; }
        line.display { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 1 3; }
        line.takeover { stroke: var(--stopped); stroke-width: 3; }
        .mark { fill: var(--ink); font-size: 11px; font-weight: 600; }
        text.budget { fill: var(--bad); }
        text.takeover { fill: var(--stopped); }
        .axis text { fill: var(--faint); font-size: 11px; }
        """

    /// The frame of the picture, which stands alone.
    static let picture = """
        .timeline { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
        .paper { fill: var(--paper); }
        .band { fill: var(--faint); fill-opacity: .06; }
        .ground { fill: none; pointer-events: all; }
        .heading { font-size: 18px; font-weight: 700; }
        .verdict { font-size: 13px; font-weight: 700; }
        .scope { font-weight: 700; }
        .label, .number { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
        text.pass { fill: var(--good); }
        text.fail, .failed text { fill: var(--bad); }
        text.stopped { fill: var(--stopped); }
        text.note, text.number { fill: var(--faint); font-size: 11px; }
        .critical text.label { fill: var(--critical); font-weight: 600; }
        """

    /// The frame of the page's timeline: a row has its label, its bars and its number, which stand in two lines on a
    /// narrow screen.
    static let page = """
        #timeline { --name: 230px; --end: 130px; --height: 20px; position: relative; width: calc(100% * var(--zoom, 1)); min-width: 100%; \
        font-size: 12px; line-height: 20px; }
        #timeline svg { overflow: visible; }
        .head, .lines, .row > svg { position: relative; left: var(--name); width: calc(100% - var(--name) - var(--end)); }
        .head { display: block; height: 100%; }
        .top { position: sticky; top: 0; z-index: 3; background: var(--paper); border-bottom: 1px solid var(--rule); }
        .lines { position: absolute; top: 0; height: 100%; pointer-events: none; }
        .row { display: block; position: relative; height: var(--height); color: inherit; text-decoration: none; }
        .row > svg { position: absolute; top: 0; height: 20px; pointer-events: none; }
        .lane { height: 16px; line-height: 16px; color: var(--faint); }
        .lane > svg { pointer-events: auto; }
        #rows { position: relative; margin-top: 8px; }
        .row { --tint: 0%; background: color-mix(in srgb, var(--faint) var(--tint), transparent); }
        #rows > .row:nth-child(odd of :not([hidden])) { --tint: 5%; }
        #rows > .row:hover { --tint: 14%; }
        .label { display: block; position: sticky; left: 0; z-index: 2; width: var(--name); padding: 0 8px; overflow: hidden; white-space: nowrap; \
        text-overflow: ellipsis; background: color-mix(in srgb, var(--faint) var(--tint), var(--paper)); }
        .lane .label { text-align: right; }
        .critical > .label { color: var(--critical); font-weight: 600; }
        .number { position: absolute; top: 0; left: calc(var(--name) + (100% - var(--name) - var(--end)) / 100 * var(--at)); z-index: 1; margin-left: 6px; \
        white-space: nowrap; font-size: 11px; color: var(--faint); text-shadow: 0 0 2px var(--paper), 0 0 2px var(--paper), 0 0 3px var(--paper); }
        .failed > .label, .failed > .number { color: var(--bad); }
        .filtered .join, .sorted .join { display: none; }
        .lane .out, .filtered .rest { opacity: .2; }
        .note, #rows h3 { margin: 0; padding: 4px 8px; font-size: 12px; color: var(--faint); }
        .legend { display: flex; flex-wrap: wrap; gap: 0 16px; margin: 8px 0; padding: 0; list-style: none; color: var(--faint); font-size: 12px; }
        .legend svg { width: 22px; height: 20px; margin-right: 6px; vertical-align: -5px; overflow: visible; }
        #range { position: absolute; top: 0; bottom: 0; background: var(--work); opacity: .25; pointer-events: none; }
        @media (max-width: 700px) { #timeline { --name: 8px; --end: 16px; --height: 36px; } .row > svg { top: 16px; } .row > .label { width: 62%; }
        .lane { height: 28px; } .lane > svg { top: 12px; } .lane .label { text-align: left; } .axis:not(.ruled) text:nth-child(even) { display: none; }
        .row > .number { left: auto; right: 8px; } .row > .label { background: none; }
        .join { transform-origin: 0 0; transform: translateY(1.6px) scaleY(1.8); } }
        """

    /// The rest of the page.
    static let document = """
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 2400px; padding: 20px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
        header, footer { overflow-wrap: anywhere; }
        h1 { margin: 0; font-size: 15px; font-weight: 600; }
        h2 { margin: 24px 0 8px; font-size: 15px; }
        header p, footer p { margin: 2px 0; color: var(--faint); font-size: 13px; }
        header .verdict { margin: 0 0 4px; font-size: 26px; font-weight: 700; line-height: 1.25; }
        .verdict.pass, #rows .pass { color: var(--good); }
        .verdict.fail, #rows .fail { color: var(--bad); }
        .verdict.stopped, #rows .stopped { color: var(--stopped); }
        .figures { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 16px 0 8px; font-size: 12px; }
        .figures dt { color: var(--faint); }
        .figures dd { margin: 0; font-variant-numeric: tabular-nums; }
        .scroll { overflow: auto; isolation: isolate; border: 1px solid var(--rule); border-radius: 6px; }
        .tall { max-height: 75vh; }
        #tools { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; margin: 8px 0; font-size: 13px; }
        [hidden] { display: none !important; }
        input, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint); border-radius: 6px; padding: 1px 8px; }
        button[aria-pressed="true"] { color: var(--paper); background: var(--ink); }
        thead button { border: 0; padding: 0; font-weight: inherit; cursor: pointer; }
        thead [aria-sort] button::after { content: " ▴"; }
        thead [aria-sort="descending"] button::after { content: " ▾"; }
        #operations, #operations thead, #operations tbody { display: block; }
        #operations { min-width: 98em; font-size: 13px; line-height: 20px; }
        #operations thead { position: sticky; top: 0; z-index: 2; }
        #operations tr { display: grid; background: var(--paper); border-bottom: 1px solid var(--rule); grid-template-columns: \
        minmax(11em, 2fr) 8em repeat(var(--numbers), 5.6em) 5em 6em minmax(10em, 3fr) minmax(10em, 3fr); }
        #operations tbody tr { scroll-margin-top: 34px; }
        .tall #operations tbody tr { content-visibility: auto; contain-intrinsic-size: auto 46px; }
        #operations th:first-child { position: sticky; left: 0; background: inherit; }
        th, td { padding: 4px 6px; text-align: left; overflow-wrap: anywhere; }
        td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        tbody th { font-weight: 400; }
        tr.critical th { color: var(--critical); font-weight: 600; }
        #operations tr:target, .row:target { background: var(--mark); }
        tr.failed .outcome { color: var(--bad); }
        tr.fell-back .outcome { color: var(--fell-back); }
        tr.cancelled .outcome { color: var(--faint); }
        small { display: block; color: var(--faint); font-weight: 400; line-height: 16px; }
        a { color: inherit; }
        a:focus-visible { outline: 2px solid var(--work); outline-offset: -2px; }
        @media (max-width: 700px) { body { padding: 12px; } header .verdict { font-size: 20px; } .legend { gap: 0 10px; font-size: 11px; } }
        @media print { .scroll { max-height: none; overflow: visible; } #tools { display: none; } }
        """
}
