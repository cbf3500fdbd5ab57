"""Drawings of the page: SVG, each a figure with a table's worth of text for who does not see it, and points that keys go through."""
import html
import math
import re

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 64, 14, 12, 26


def visible(value):
    """A text whose control characters are seen, as the tool shows them: one that turns the direction of writing round would turn the figures after it, too."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]", lambda found: f"\\u{{{ord(found[0]):X}}}", str(value))


def escaped(value):
    return html.escape(visible(value), quote=True)


def milliseconds(value):
    if value is None:
        return "–"
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms"


def percent(value, digits=1):
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def ticks(low, high):
    """Round numbers of a logarithmic axis."""
    found = [digit * 10**power for power in range(-3, 8) for digit in (1, 2, 5) if low <= digit * 10**power <= high]
    return found or [low]


def figure(title, height, body, points, legend=""):
    """`points` are elements of the class `at`: the first is a stop of Tab, arrow keys go on from there, and the line below says what is chosen."""
    stops = "".join(point.replace('class="at', f'tabindex="{0 if place == 0 else -1}" class="at', 1) for place, point in enumerate(points))
    return (
        f'<figure class="chart"><figcaption>{escaped(title)}</figcaption>{legend}<svg viewBox="0 0 {WIDTH} {height}" role="group" aria-label="{escaped(title)}">'
        f'{body}{stops}</svg><p class="chosen" aria-live="polite">&nbsp;</p></figure>'
    )


def column(x, width, height, words):
    """What is pointed at, or reached by keys: as high as the drawing."""
    return (
        f'<rect class="at" role="img" x="{x:.1f}" y="{TOP}" width="{max(width, 1):.1f}" height="{height - TOP - BOTTOM}" aria-label="{escaped(words)}">'
        f"<title>{escaped(words)}</title></rect>"
    )


def legend(names):
    return '<ul class="legend">' + "".join(f'<li><i class="c{place % 8}"></i>{escaped(name)}</li>' for place, name in enumerate(names)) + "</ul>"


def distribution(scenario, rows, versions):
    """How often each time comes, for each version; time is logarithmic."""
    height = 200
    low, high, top = min(row["from_ms"] for row in rows), max(row["to_ms"] for row in rows), max(row["share"] for row in rows)
    scale = (WIDTH - LEFT - RIGHT) / max(math.log(high / low), 1e-9)
    across = lambda ms: LEFT + math.log(ms / low) * scale
    up = lambda share: height - BOTTOM - share / top * (height - TOP - BOTTOM)
    body = "".join(
        f'<line class="rule" x1="{across(ms):.1f}" x2="{across(ms):.1f}" y1="{TOP}" y2="{height - BOTTOM}"/>'
        f'<text x="{across(ms):.1f}" y="{height - 8}" text-anchor="middle">{ms:g} ms</text>'
        for ms in ticks(low, high)
    )
    for place, version in enumerate(versions):
        steps = {row["step"]: row for row in rows if row["version"] == version}
        path, last = "", None
        for step, row in sorted(steps.items()):
            if last is not None and step != last + 1:
                path += f"V{up(0):.1f}H{across(row['from_ms']):.1f}"
            start = f"M{across(row['from_ms']):.1f} {up(0):.1f}" if not path else ""
            path += f"{start}V{up(row['share']):.1f}H{across(row['to_ms']):.1f}"
            last = step
        body += f'<path class="line c{place % 8} d{place % 4}" d="{path}V{up(0):.1f}"/>' if path else ""
    points = []
    for step in sorted({row["step"] for row in rows}):
        here = [row for row in rows if row["step"] == step]
        shares = ", ".join(f"{row['version'] or 'no version'} {percent(row['share'])} ({row['launches']:,})" for row in here)
        words = f"{milliseconds(here[0]['from_ms'])} to {milliseconds(here[0]['to_ms'])}: {shares}"
        points.append(column(across(here[0]["from_ms"]), across(here[0]["to_ms"]) - across(here[0]["from_ms"]), height, words))
    return figure(f"{scenario}: share of completed launches by time", height, body, points, legend([version or "no version" for version in versions]))


def days_axis(days, height):
    step = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    every = max(1, len(days) // 7)
    texts = "".join(f'<text x="{LEFT + place * step:.1f}" y="{height - 8}">{escaped(day[5:])}</text>' for place, day in enumerate(days) if place % every == 0)
    return step, texts


def blame(rows, most=7):
    """The share of each operation in all critical time, day by day: the operations with most of it, and the rest as one."""
    height, days = 240, sorted({row["day"] for row in rows})
    totals = {}
    for row in rows:
        totals[row["operation"]] = totals.get(row["operation"], 0) + row["share_of_critical_time"]
    names = sorted(totals, key=lambda name: (-totals[name], name))[:most]
    shares = {(row["day"], row["operation"]): row["share_of_critical_time"] for row in rows}
    step, body = days_axis(days, height)
    body += "".join(f'<text x="{LEFT - 6}" y="{height - BOTTOM - part * (height - TOP - BOTTOM) + 4:.1f}" text-anchor="end">{percent(part, 0)}</text>' for part in (0, 0.5, 1))
    points = []
    for place, day in enumerate(days):
        below, words = 0.0, []
        parts = [(name, shares.get((day, name), 0.0)) for name in names]
        parts.append(("others", max(0.0, 1 - sum(part for _, part in parts))))
        for number, (name, part) in enumerate(parts):
            size = part * (height - TOP - BOTTOM)
            body += f'<rect class="area c{number % 8}" x="{LEFT + place * step:.1f}" y="{height - BOTTOM - below - size:.1f}" width="{step:.1f}" height="{size:.1f}"/>'
            below += size
            words.append(f"{name} {percent(part)}")
        points.append(column(LEFT + place * step, step, height, f"{day}: {', '.join(words)}"))
    return figure("Share of all critical time, by operation and day", height, body, points, legend([*names, "others"]))


def by_day(title, rows, changes):
    """The 90th percentile by day, with a mark where the level changes."""
    height, days = 130, [row["day"] for row in rows]
    high = max(row["p90_ms"] for row in rows) * 1.05
    step, body = days_axis(days, height)
    up = lambda ms: height - BOTTOM - ms / high * (height - TOP - BOTTOM)
    body += f'<text x="{LEFT - 6}" y="{up(0):.1f}" text-anchor="end">0</text><text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{high:,.0f} ms</text>'
    path = "".join(f"{'L' if place else 'M'}{LEFT + (place + 0.5) * step:.1f} {up(row['p90_ms']):.1f}" for place, row in enumerate(rows))
    body += f'<path class="line c0" d="{path}"/>'
    said = {change["day"]: f"; the level changes: {milliseconds(change['before_ms'])} to {milliseconds(change['after_ms'])} (q = {change['q_value']:.2g})" for change in changes}
    for day in said:
        if day in days:
            x = LEFT + days.index(day) * step
            body += f'<line class="change" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - BOTTOM}"/><text class="mark" x="{x + 4:.1f}" y="{TOP + 8}">{escaped(day[5:])}</text>'
    points = [
        column(LEFT + place * step, step, height, f"{row['day']}: {milliseconds(row['p90_ms'])}, {row['launches']:,} launches{said.get(row['day'], '')}")
        for place, row in enumerate(rows)
    ]
    return figure(title, height, body, points)


def interval(row, low, high):
    """A ratio with its interval, on the table's scale from `low` to `high`."""
    across = lambda ratio: 150 * math.log(min(max(ratio, low), high) / low) / math.log(high / low)
    return (
        f'<svg class="interval {escaped(row["finding"].split()[0])}" viewBox="0 0 150 14" aria-hidden="true"><line class="rule" x1="{across(1):.1f}" x2="{across(1):.1f}" y1="0" y2="14"/>'
        f'<line class="bar" x1="{across(row["ratio_low"]):.1f}" x2="{across(row["ratio_high"]):.1f}" y1="7" y2="7"/><circle cx="{across(row["ratio"]):.1f}" cy="7" r="3.5"/></svg>'
    )
