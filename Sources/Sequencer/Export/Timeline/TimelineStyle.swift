/// How timelines look: light or dark as the person likes it, and apart for those who do not see colours (critical bars have a border,
/// waiting and slack are thinner than work).
enum TimelineStyle {
    static let css = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --row: #f6f8fa; --work: #4c8dd6; \
        --main: #7a62c9; --critical: #c0392b; --interactive: #e0a526; --wait: #a9b4bf; --slack: #8a94a0; --pause: #fbf1d3; --bad: #cf222e; \
        --good: #1a7f37; --mark: #fff8c5; }
        @media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #30363d; --row: #151b23; \
        --work: #5a9be6; --main: #9a86e8; --critical: #f47067; --interactive: #d4a72c; --wait: #545d68; --slack: #6e7781; --pause: #2b2411; \
        --bad: #ff7b72; --good: #3fb950; --mark: #3b3000; } }
        .timeline { background: var(--paper); font: 12px system-ui, sans-serif; }
        .timeline text { fill: var(--ink); }
        .timeline .axis text, .timeline .note, .timeline .number { fill: var(--faint); font-size: 11px; }
        .timeline .axis line { stroke: var(--rule); }
        .timeline .band { fill: var(--row); }
        .timeline .pause { fill: var(--pause); }
        .timeline .bar { fill: var(--work); }
        .timeline .main .bar { fill: var(--main); }
        .timeline .interactive .bar { fill: var(--interactive); }
        .timeline .unsuccessful .bar { fill-opacity: .45; }
        .timeline .critical .bar { stroke: var(--critical); stroke-width: 2; }
        .timeline .critical .label { fill: var(--critical); font-weight: 600; }
        .timeline .wait { fill: var(--wait); }
        .timeline .slack { stroke: var(--slack); stroke-width: 1.5; stroke-dasharray: 2 3; }
        .timeline .never { fill: none; stroke: var(--faint); }
        .timeline .path { fill: none; stroke: var(--critical); stroke-width: 1.5; }
        .timeline .budget { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 4; }
        .timeline .milestone { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1 3; }
        .timeline .budget-label { fill: var(--bad); font-weight: 600; }
        """
}
