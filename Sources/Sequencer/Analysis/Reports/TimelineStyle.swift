/// How timelines look: light or dark as the person prefers, and with patterns for people who do not see colours. Critical bars have a border. Bars
/// of failed operations are crossed or hatched, of fallbacks half filled, of cancelled operations hollow. Waiting and slack are thinner than work.
enum TimelineStyle {
    /// The colours of the page and of the picture.
    static let palette = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --row: #8c95a014; --band: #f6f7f8; \
        --work: #4c8dd6; --main: #7a62c9; --critical: #a34a00; --interactive: #b27d00; --wait: #a9b4bf; --slack: #8a94a0; --pause: #fbf1d3; --bad: #cf222e; \
        --fell-back: #0b7a75; --good: #1a7f37; --stopped: #9a6700; --mark: #fff8c5; }
        @media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #30363d; --row: #8c95a01f; \
        --band: #1c2128; --work: #5a9be6; --main: #9a86e8; --critical: #ffb069; --interactive: #d4a72c; --wait: #545d68; --slack: #6e7781; --pause: #2b2411; \
        --bad: #ff7b72; --fell-back: #4fd1c5; --good: #3fb950; --stopped: #d29922; --mark: #392e00; } }
        """

    /// The picture, which stands alone.
    static let css =
        palette + """

            .timeline { max-width: 100%; height: auto; background: var(--paper); font: 12px system-ui, sans-serif; }
            .timeline text { fill: var(--ink); }
            .timeline .heading { font-size: 18px; font-weight: 700; }
            .timeline .verdict { font-size: 13px; font-weight: 700; }
            .timeline .scope { font-weight: 700; }
            .timeline .label, .timeline .number, .timeline .scope { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; \
            stroke-linejoin: round; }
            .timeline .pass { fill: var(--good); }
            .timeline .fail { fill: var(--bad); }
            .timeline .stopped { fill: var(--stopped); }
            .timeline .axis text, .timeline .note, .timeline .legend text, .timeline .number { fill: var(--faint); font-size: 11px; }
            .timeline .axis line { stroke: var(--rule); }
            .timeline .band { fill: var(--row); }
            .timeline .pause { fill: var(--pause); }
            .timeline .bar { fill: var(--work); }
            .timeline .main .bar { fill: var(--main); }
            .timeline .interactive .bar { fill: var(--interactive); }
            .timeline .failed .bar { fill: var(--bad); fill-opacity: 1; }
            .timeline .failed .label, .timeline .failed .number { fill: var(--bad); }
            .timeline .cross { fill: none; stroke: var(--paper); stroke-width: 1.5; }
            .timeline .fell-back .bar { fill: var(--fell-back); fill-opacity: .3; stroke: var(--fell-back); }
            .timeline .half { fill: var(--fell-back); }
            .timeline .fell-back .number { fill: var(--fell-back); }
            .timeline .cancelled .bar { fill: var(--paper); stroke: var(--faint); stroke-dasharray: 3 2; }
            .timeline .critical .bar { stroke: var(--critical); stroke-width: 2; }
            .timeline .legend .critical .bar { fill: none; }
            .timeline .critical .label { fill: var(--critical); font-weight: 600; }
            .timeline .wait { fill: var(--wait); }
            .timeline .slack { stroke: var(--slack); stroke-width: 1.5; stroke-dasharray: 2 3; }
            .timeline .expected { stroke: var(--ink); stroke-width: 1.5; }
            .timeline .never { fill: none; stroke: var(--faint); }
            .timeline .path { fill: none; stroke: var(--critical); stroke-width: 1.5; }
            .timeline line.budget { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 4; }
            .timeline line.milestone { stroke: var(--ink); stroke-width: 1.5; }
            .timeline line.display { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 1 3; }
            .timeline .mark { font-size: 11px; font-weight: 600; }
            .timeline text.budget { fill: var(--bad); }
            """

    /// The page's timeline: places and lengths are parts of the width. On a narrow screen the labels stand above the bars.
    static let page = """
        .timeline { --under: var(--paper); --name: 230px; --end: 130px; --height: 20px; --middle: 10px; position: relative; \
        width: calc(100% * var(--zoom, 1)); min-width: 100%; font-size: 12px; line-height: 20px; background: var(--paper); }
        .timeline .head { display: grid; grid-template-columns: var(--name) 1fr var(--end); position: sticky; top: 0; z-index: 6; \
        background: var(--paper); border-bottom: 1px solid var(--rule); }
        .timeline .head::before { content: ""; grid-area: 1 / 1 / span 4; position: sticky; left: 0; z-index: 1; \
        width: max(0px, 100% - 22px); background: var(--paper); }
        .timeline .head > div { grid-column: 2; position: relative; height: 17px; }
        .timeline .head span { position: absolute; white-space: nowrap; font-size: 11px; line-height: 17px; }
        .timeline .head .before { transform: translateX(-100%); padding-right: 5px; }
        .timeline .head .behind { padding-left: 5px; }
        .timeline .axis span { transform: translateX(-50%); color: var(--faint); }
        .timeline .mark { font-weight: 600; }
        .timeline .mark.budget { color: var(--bad); }
        .timeline .lines { position: absolute; inset: 0 var(--end) 0 var(--name); pointer-events: none; }
        .timeline .lines > span { position: absolute; top: 0; bottom: 0; }
        .timeline .tick { border-left: 1px solid var(--rule); }
        .timeline .pause, .swatch.pause { background: var(--pause); }
        .timeline .lines > .budget, .swatch.budget { border-left: 2px dashed var(--bad); z-index: 2; }
        .timeline .lines > .milestone, .swatch.milestone { border-left: 2px solid var(--ink); z-index: 2; }
        .timeline .lines > .display, .swatch.display { border-left: 2px dotted var(--ink); z-index: 2; }
        .timeline .lanes { padding: 4px 0; border-bottom: 1px solid var(--rule); }
        .timeline .lane, .timeline .row { display: block; position: relative; height: var(--height); color: inherit; text-decoration: none; }
        .timeline .lane { height: 16px; line-height: 16px; }
        #rows { position: relative; }
        #rows a:nth-child(odd of :not([hidden])), #scopes div:nth-child(odd of :not([hidden])) { --under: var(--band); background: var(--row); }
        #scopes h3 { position: sticky; left: 0; z-index: 5; width: fit-content; max-width: 100%; margin: 0; padding: 6px 8px 0; overflow: hidden; \
        white-space: nowrap; text-overflow: ellipsis; font-size: 12px; background: var(--paper); }
        .timeline .label { display: block; position: sticky; left: 0; z-index: 5; width: calc(var(--name) - 6px); padding: 0 8px; overflow: hidden; \
        white-space: nowrap; text-overflow: ellipsis; background: var(--under); }
        .timeline .lane .label { text-align: right; color: var(--faint); font-size: 11px; }
        .timeline .track { position: absolute; inset: 0 var(--end) 0 var(--name); }
        .timeline .row .track > span { position: absolute; }
        .timeline .bar { position: absolute; top: 4px; height: 12px; min-width: 1px; border-radius: 2px; background: var(--work); z-index: 1; }
        .timeline .lane .bar { top: 3px; height: 10px; min-width: 2px; border-radius: 0; border-right: 1px solid var(--paper); }
        .timeline .lane svg { position: absolute; top: 3px; width: 100%; height: 10px; fill: var(--work); }
        .timeline .lane.main svg { fill: var(--main); }
        .timeline .main .bar, .swatch.main { background: var(--main); }
        .timeline .interactive .bar, .swatch.interactive { background: var(--interactive); }
        .timeline .failed .bar, .swatch.failed { background: repeating-linear-gradient(135deg, var(--bad) 0 5px, var(--paper) 5px 6.5px); \
        box-shadow: inset 0 0 0 1px var(--bad); }
        .timeline .failed .label, .timeline .failed .number { color: var(--bad); }
        .timeline .fell-back .bar, .swatch.fell-back { background: linear-gradient(transparent 50%, var(--fell-back) 50%) var(--paper); \
        box-shadow: inset 0 0 0 1px var(--fell-back); }
        .timeline .fell-back .number { color: var(--fell-back); }
        .timeline .cancelled .bar, .swatch.cancelled { background: var(--paper); outline: 1px dashed var(--faint); outline-offset: -1px; }
        .timeline .critical .bar, .swatch.critical { box-shadow: 0 0 0 2px var(--critical); }
        .timeline .lane .critical .bar { box-shadow: inset 0 0 0 2px var(--critical); }
        .timeline .critical .label { color: var(--critical); font-weight: 600; }
        .timeline .row .bar, .timeline .never { scroll-margin: 80px calc(var(--end) + 8px) 8px calc(var(--name) + 8px); }
        .timeline .wait { top: 8px; height: 4px; background: var(--wait); }
        .timeline .slack { top: 17px; border-top: 2px dotted var(--slack); }
        .timeline .expected { top: 2px; height: 16px; border-left: 2px solid var(--ink); z-index: 2; }
        .timeline .expected.later { top: 15px; height: 5px; z-index: 4; }
        .timeline .never { top: 6px; width: 8px; height: 8px; margin-left: -4px; border: 1px solid var(--faint); border-radius: 50%; }
        .timeline .number { top: 3px; z-index: 3; margin-left: 4px; padding: 0 2px; white-space: nowrap; font-size: 11px; line-height: 14px; \
        color: var(--faint); background: var(--under); }
        .timeline .never + .number { margin-left: 8px; }
        .timeline .joins > .join { top: calc(var(--height) * var(--from) + var(--middle)); bottom: auto; \
        height: calc(var(--height) * var(--rows)); min-width: 1px; border: 0 solid var(--critical); border-left-width: 1.5px; border-bottom-width: 1.5px; }
        .timeline .omission { position: relative; z-index: 5; margin: 0; padding: 4px 8px; color: var(--faint); font-size: 11px; background: var(--paper); }
        .timeline.moved .joins { display: none; }
        .legend { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 8px 0; padding: 0; list-style: none; color: var(--faint); font-size: 12px; }
        .swatch { display: inline-block; width: 22px; height: 11px; margin-right: 6px; background: var(--work); border-radius: 2px; }
        .swatch.critical { width: 18px; margin-left: 2px; background: transparent; }
        .swatch.never { width: 10px; height: 10px; background: none; border: 1px solid var(--faint); border-radius: 50%; }
        .swatch.wait { height: 4px; margin-bottom: 3px; background: var(--wait); }
        .swatch.slack { height: 0; margin-bottom: 4px; background: none; border-top: 2px dotted var(--slack); border-radius: 0; }
        .swatch.expected { width: 0; background: none; border-left: 2px solid var(--ink); border-radius: 0; }
        .swatch.budget, .swatch.milestone, .swatch.display { width: 0; height: 14px; margin-bottom: -3px; background: none; border-radius: 0; }
        @media (max-width: 900px) { .timeline .axis:not(.ruled) span:nth-child(even) { display: none; } }
        @media (max-width: 700px) {
        .timeline { --name: 8px; --end: 24px; --height: 36px; --middle: 26px; }
        .timeline .row .label { width: fit-content; max-width: calc(100% - 150px); line-height: 18px; }
        .timeline .row .track > span { transform: translateY(16px); }
        .timeline .row .track > .number { left: auto !important; right: 0; transform: none; }
        .timeline .lane { height: 28px; }
        .timeline .lane .label { width: fit-content; line-height: 12px; }
        #scopes h3 { max-width: calc(100vw - 40px); white-space: normal; }
        .timeline .lane .bar, .timeline .lane svg { top: 14px; }
        .timeline .axis span:first-child { transform: none; }
        }
        @media (min-width: 1800px) { .timeline { --name: 360px; } }
        """
}
