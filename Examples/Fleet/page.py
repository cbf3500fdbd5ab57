"""The page: one HTML file that asks for nothing else, made of the answers. All of it can be read without its script, which lets keys go through drawings."""
import pathlib

from charts import blame, by_day, distribution, escaped, interval, milliseconds, percent

FOLDER = pathlib.Path(__file__).resolve().parent


def table(caption, columns, rows, name=""):
    """`columns`: (heading, row → text, whether it is a number or HTML). The first one heads its row."""
    head = "".join(f'<th scope="col"{" class=number" if kind == "number" else ""}>{escaped(heading)}</th>' for heading, _, kind in columns)
    body = ""
    for row in rows:
        cells = []
        for place, (_, text, kind) in enumerate(columns):
            inner = text(row) if kind == "html" else escaped(text(row))
            cells.append(f'<th scope="row">{inner}</th>' if place == 0 else f"<td{' class=number' if kind == 'number' else ''}>{inner}</td>")
        body += f"<tr>{''.join(cells)}</tr>"
    if not rows:
        body = f'<tr><td colspan="{len(columns)}">none</td></tr>'
    # A table that is wider than the screen is moved by keys, too.
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escaped(caption)}"><table{name}><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def text(key):
    return (key.replace("_", " "), lambda row: row[key] if row[key] not in (None, "") else "–", "text")


def count(key):
    return (key.replace("_", " "), lambda row: f"{row[key]:,.0f}", "number")


def time(key):
    return (key.removesuffix("_ms").replace("_", " "), lambda row: milliseconds(row[key]), "number")


RATE = ("rate (95 % interval)", lambda row: f"{percent(row['rate'], 2)} ({percent(row['rate_low'], 2)} to {percent(row['rate_high'], 2)})", "number")
DISPLAY_RATE = ("initial display (95 % interval)", lambda row: "–" if row["display_rate"] is None else
                f"{percent(row['display_rate'], 2)} ({percent(row['display_rate_low'], 2)} to {percent(row['display_rate_high'], 2)})", "number")
RATIO = ("ratio (95 % interval)", lambda row: f"{row['ratio']:.3f} ({row['ratio_low']:.3f} to {row['ratio_high']:.3f})", "number")


def findings(answers, asked):
    """What a release manager reads first, one sentence each."""
    said, sure = [], ("slower", "faster")
    for row in answers["differences-by-class"]:
        if row["finding"] in sure:
            said.append(f"{row['operation']} is {row['finding']} on devices of class '{row['device_class'] or 'unknown'}': {row['ratio']:.2f} times ({row['ratio_low']:.2f} to {row['ratio_high']:.2f}), q = {row['q_value']:.2g}.")
    for row in answers["mix-shift"]:
        raw, own = row["raw_ratio"], row["version_ratio"]
        if row["mix_shift"]:
            said.append(f"{row['scenario']}: launches take {raw:.2f} times as long in all, {row['devices_ratio']:.2f} times by other devices and start types (a mix shift: no regression), "
                        f"{row['calendar_ratio']:.2f} times by other days, and {own:.2f} times by the version: {row['finding']}.")
        elif row["finding"] in sure:
            said.append(f"{row['scenario']}: the version is {row['finding']}, {own:.2f} times.")
    # That nothing is found is no answer where nothing could be compared.
    if asked["baseline"] == asked["candidate"]:
        said.insert(0, f"There is no version to compare {asked['candidate'] or 'these launches'} with.")
    elif not answers["differences"]:
        said.insert(0, f"{asked['candidate']} cannot be compared with {asked['baseline']}: of no operation are there 30 launches of each on the same days, "
                       "in the same scenarios, and on devices whose class is known.")
    elif not any(row["finding"] in sure for row in answers["differences-by-class"]):
        unsure = sum(row["finding"] == "not sure" for row in answers["differences"])
        said.insert(0, f"No operation is slower or faster in {asked['candidate']} than in {asked['baseline']} for sure on any class of devices; "
                       f"of {len(answers['differences'])} operations on all devices, {unsure} are not sure to be the same.")
    for row in answers["change-points"]:
        if row["kind"] == "operation":
            said.append(f"{row['name']} on devices of class '{row['device_class'] or 'unknown'}' changes on {row['day']}, {row['ratio']:.2f} times (q = {row['q_value']:.2g}).")
    return "<ul class=findings>" + "".join(f"<li>{escaped(each)}</li>" for each in said) + "</ul>"


def behind(answers):
    """The launches behind a number, to be opened."""
    groups = {}
    for row in answers["launches-behind"]:
        groups.setdefault((row["scenario"], row["version"], row["percentile"]), []).append(row)
    columns = [text("launch_id"), text("day"), text("device_class"), text("start_type"), time("measured_ms"), text("longest_operation"), time("longest_ms")]
    return "".join(
        f"<details><summary>{escaped(scenario)}, {escaped(version or 'no version')}: p{percentile}, {milliseconds(rows[0]['measured_ms'])}</summary>"
        f"{table('Launches of this bucket', columns, rows)}</details>"
        for (scenario, version, percentile), rows in groups.items()
    )


def distributions(answers):
    rows = answers["distribution"]
    scenarios = sorted({row["scenario"] for row in rows})
    versions = [row["version"] for row in answers["versions"]]
    versions += [""] if any(row["version"] == "" for row in rows) else []
    return "".join(distribution(scenario, [row for row in rows if row["scenario"] == scenario], versions[-8:]) for scenario in scenarios)


def days(answers):
    changes, groups = answers["change-points"], {}
    for row in answers["p90-by-day"]:
        if row["launches"] >= 20:
            groups.setdefault((row["scenario"], row["device_class"]), []).append(row)
    return "".join(
        by_day(f"{scenario}, devices of class '{device or 'unknown'}': p90 by day", rows,
               [each for each in changes if (each["kind"], each["name"], each["device_class"]) == ("p90 of scenario", scenario, device)])
        for (scenario, device), rows in groups.items() if len(rows) > 1
    )


def differences(answers, asked):
    parts = []
    for question, caption in (("differences", "All devices"), ("differences-by-class", "By device class")):
        rows = answers[question]
        low, high = min([row["ratio_low"] for row in rows] + [0.9]), max([row["ratio_high"] for row in rows] + [1.1])
        classes = [text("device_class")] if question.endswith("class") else []
        columns = [text("operation"), *classes, count("baseline_launches"), count("candidate_launches"), RATIO, ("", lambda row: interval(row, low, high), "html"),
                   ("q", lambda row: f"{row['q_value']:.2g}", "number"), ("q, any dependence", lambda row: f"{row['q_value_any']:.2g}", "number"),
                   ("finding", lambda row: f"<b class={row['finding'].split()[0]}>{escaped(row['finding'])}</b>", "html")]
        parts.append(table(f"{caption}: {asked['candidate']} against {asked['baseline']}", columns, rows))
    return "".join(parts)


def page(answers, asked, engine):
    percentiles = [text("scenario"), text("version"), text("start_type"), text("device_class"), count("launches"), time("p50_ms"), time("p75_ms"), time("p90_ms"),
                   ("p90, 95 % interval", lambda row: f"{milliseconds(row['p90_low_ms'])} to {milliseconds(row['p90_high_ms'])}", "number"), time("p95_ms"), time("p99_ms")]
    ratio = lambda key: (key.replace("_ratio", "").replace("_", " "), lambda row: f"{row[key]:.3f}", "number")
    mix = [text("scenario"), ratio("raw_ratio"), ratio("devices_ratio"), ratio("calendar_ratio"), ratio("version_ratio"),
           ("version, 95 % interval", lambda row: f"{row['version_ratio_low']:.3f} to {row['version_ratio_high']:.3f}", "number"),
           ("mix shift", lambda row: "yes" if row["mix_shift"] else "no", "text"), text("finding")]
    blamed = [text("scenario"), text("version"), text("operation"),
              ("on the critical path (95 % interval)", lambda row: f"{percent(row['critical_rate'])} ({percent(row['critical_rate_low'])} to {percent(row['critical_rate_high'])})", "number"),
              ("mean then", lambda row: milliseconds(row["mean_critical_ms"]), "number"), ("share of critical time", lambda row: percent(row["share_of_critical_time"]), "number")]
    sections = [
        ("found", "What is found", findings(answers, asked)),
        ("distribution", "Distribution by version", distributions(answers)),
        ("differences", "Differences between versions", differences(answers, asked)),
        ("mix", "Slower, or on slower devices?", table("What the ratio of all launches is made of", mix, answers["mix-shift"])),
        ("percentiles", "Percentiles, and the launches behind them", behind(answers) + table("Completed launches", percentiles, answers["percentiles"])),
        ("blame", "Blame over time", (blame(answers["blame-by-day"]) if answers["blame-by-day"] else "") + table("Blame", blamed, answers["blame"])),
        ("days", "p90 by day, with change points", days(answers)),
        ("budget", "Budget misses", table("Reports that missed a budget", [text("scenario"), text("version"), text("device_class"), count("launches"), count("misses"), RATE, DISPLAY_RATE], answers["budget-misses"])),
        ("crashes", "Crashes and recovery", table("Crashes", [text("version"), text("device_class"), count("launches"), count("crashes"), RATE, count("launches_in_loops"), count("most_crashes_before")], answers["crashes"])
         + table("Operations that crashed", [text("version"), text("operation"), count("crashes")], answers["crashes-by-operation"])
         + table("Recovery levels", [text("version"), text("recovery_level"), count("launches"), count("completed"), count("crashes")], answers["recovery-levels"])),
        ("aborts", "What stops launches", table("Reports that are not completed", [text("version"), text("outcome"), text("operation"), text("reason"), count("times"), RATE], answers["aborts"])
         + table("Operations that do not succeed", [text("operation"), text("version"), text("outcome"), count("times"), RATE], answers["outcomes"])),
        ("lines", "Lines", table("Files", [text("file"), count("lines"), count("taken"), count("repeated"), count("aside"), count("newer")], answers["loads"])
         + table("Lines that are kept aside", [text("reason"), count("lines")], answers["lines-aside"])),
    ]
    launches = sum(row["launches"] for row in answers["versions"])
    navigation = "".join(f'<li><a href="#{name}">{escaped(title)}</a></li>' for name, title, _ in sections)
    body = "".join(f'<section id="{name}"><h2>{escaped(title)}</h2>{inner}</section>' for name, title, inner in sections)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"><link rel=icon href=\"data:,\">"
        f"<title>Launches of a fleet</title><style>{(FOLDER / 'page.css').read_text(encoding='utf-8')}</style></head><body>"
        f'<header><h1>Launches of a fleet</h1><p>{launches:,} launches with a version; {escaped(asked["candidate"])} against {escaped(asked["baseline"])}; differences below {percent(asked["relevant"], 0)} '
        f'are none, false-discovery rate {percent(asked["rate"], 0)}; answers of {escaped(engine)}.</p><nav aria-label="Sections"><ul>{navigation}</ul></nav></header>'
        f"<main>{body}</main><script>{(FOLDER / 'page.js').read_text(encoding='utf-8')}</script></body></html>\n"
    )
