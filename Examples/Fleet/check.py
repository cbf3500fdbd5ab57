#!/usr/bin/env python3
"""Checks the engines against each other, and the answers against the truth of made-up fleets. Called by Scripts/check-fleet.

usage: check.py FOLDER [--launches N] [--spark-launches N] [--nothing-launches N] [--computed-launches N] [--seed N] [--schema FILE] [--only engines|truth|spark...]
"""
import argparse
import collections
import datetime
import gzip
import html.parser
import json
import math
import os
import pathlib
import re
import sys
import threading
import time

import by_hand
import engines
import fleet
import made_up
import page

STATED = 2 ** (1 / 128) - 1 + 1e-9
failures = []


def check(holds, words):
    print(f"{'PASS' if holds else 'FAIL'}  {words}", flush=True)
    if not holds:
        failures.append(words)


def answers_of(engine, **asked):
    return {question: engine.ask(question, **asked) for question in engines.QUESTIONS}


def differs(ours, theirs):
    """Where two answers differ first, or nothing. Counts, texts and days are the same; figures but for rounding, and what comes from the sketch by a bucket."""
    for question, rows in ours.items():
        others = theirs[question]
        if len(rows) != len(others):
            return f"{question}: {len(rows)} rows and {len(others)}"
        for row, other in zip(rows, others):
            for name, value in row.items():
                if isinstance(value, float) and isinstance(other[name], (int, float)):
                    near = STATED * 2 if question in ("percentiles", "p90-by-day") else 1e-6
                    if math.isclose(value, other[name], rel_tol=near, abs_tol=1e-9):
                        continue
                if value != other[name]:
                    return f"{question}: {name} is {value!r} and {other[name]!r}, of {row}"
    return ""


def counted(engine, truth):
    (loaded,) = engine.ask("loads")
    check(all(loaded[name] == truth[name] for name in ("lines", "repeated", "aside", "newer")) and loaded["taken"] == truth["launches"],
          f"{engine.name}: {loaded['lines']:,} lines: {loaded['taken']:,} launches, {loaded['repeated']} lines twice, {loaded['aside']} aside, {loaded['newer']} of a newer schema")


def exact(engine, answers):
    """The percentiles against those that DuckDB computes from all times."""
    columns = ", ".join(f"quantile_disc(measured_ms, {percent / 100}) AS p{percent}_ms" for percent in (50, 75, 90, 95, 99))
    rows = engine.rows(f"""SELECT scenario, version, start_type, device_class, {columns} FROM launches WHERE outcome = 'completed'
        GROUP BY scenario, version, start_type, device_class ORDER BY scenario, version, start_type, device_class""")
    worst = 0.0
    for row, found in zip(rows, answers["percentiles"]):
        for name in ("p50_ms", "p75_ms", "p90_ms", "p95_ms", "p99_ms"):
            worst = max(worst, abs(found[name] - row[name]) / row[name])
    check(len(rows) == len(answers["percentiles"]) and worst <= STATED, f"{5 * len(rows)} percentiles are off by {worst:.3%} at the most (stated: {STATED:.3%})")


def true(answers):
    """What the fleet was made of is found, and nothing else."""
    found = {(row["operation"], row["device_class"], row["finding"]) for row in answers["differences-by-class"] if row["finding"] in ("slower", "faster")}
    wanted = {(name, device, kind) for kind in ("slower", "faster") for name, factors in made_up.TRUTH[kind].items() for device in factors}
    check(found == wanted, f"differences by class: {', '.join(' '.join(each) for each in sorted(found))}")
    for row in answers["differences-by-class"]:
        factor = made_up.TRUTH["slower"].get(row["operation"], {}).get(row["device_class"]) or made_up.TRUTH["faster"].get(row["operation"], {}).get(row["device_class"])
        if factor:
            spread = math.log(row["ratio_high"] / row["ratio_low"]) / 3.92
            check(abs(math.log(row["ratio"] / factor)) < 4 * spread, f"{row['operation']}, {row['device_class']}: {row['ratio']:.3f}, made as {factor}")
    check(len(answers["mix-shift"]) == len(made_up.WITHOUT) and all(row["mix_shift"] and row["devices_ratio"] > 1.05 and row["raw_ratio"] > 1.05 and row["finding"] != "slower" for row in answers["mix-shift"]),
          "launches of 2.4 take longer in every scenario by their devices, and are called slower in none")
    slow = made_up.FIRST_DAY + datetime.timedelta(days=made_up.SLOW_SERVER)
    near = {str(slow + datetime.timedelta(days=days)) for days in (-1, 0, 1)}
    changes = [row for row in answers["change-points"] if row["kind"] == "operation" and row["device_class"]]
    at_server = {row["device_class"] for row in changes if row["name"] == made_up.TRUTH["serverChange"] and row["day"] in near and row["ratio"] > 1.3}
    check(at_server == set(made_up.CLASSES), f"the server's change is found within a day of {slow} on devices of classes {sorted(at_server)}")
    effects = {**made_up.TRUTH["slower"], **made_up.TRUTH["faster"], made_up.TRUTH["serverChange"]: made_up.CLASSES}
    others = [f"{row['name']} {row['device_class']} {row['day']} ({row['ratio']:.3f})" for row in changes if row["device_class"] not in effects.get(row["name"], ())]
    # Of those found, 5 % may be wrong; one more than that is a bad night.
    check(len(others) <= 1 + 0.05 * len(changes), f"{len(changes)} changes of operations, of which nothing was made: {', '.join(others) or 'none'}")
    loops = {(row["version"], row["device_class"]): row["launches_in_loops"] / row["launches"] for row in answers["crashes"] if row["device_class"]}
    check(max(loops, key=loops.get) == ("2.4", "low"), "most launches in crash loops are those of 2.4 on low-end devices")
    fallbacks = {row["version"]: row for row in answers["outcomes"] if row["operation"] == "fetch-configuration"}
    check(fallbacks["2.4"]["rate_low"] > fallbacks["2.3"]["rate_high"], "fetch-configuration falls back more often in 2.4")


def misses(answers, truth):
    """Launches that missed a budget, and initial displays that missed theirs."""
    found = {name: sum(row[name] for row in answers["budget-misses"]) for name in ("misses", "display_launches", "display_misses")}
    check(list(found.values()) == [truth[name] for name in ("missed", "displays", "displaysMissed")],
          f"{found['misses']:,.0f} launches missed a budget; of {found['display_launches']:,.0f} initial displays {found['display_misses']:,.0f} missed theirs")
    check({row["scenario"] for row in answers["budget-misses"] if row["display_rate"] is None} == {"push"}, "a push has no rate of initial displays")


def tails(answers):
    """The normal tail of the questions against erfc."""
    worst, relevant = 0.0, math.log(1.02)
    for question in ("differences", "differences-by-class"):
        for row in answers[question]:
            spread, size = math.log(row["ratio_high"] / row["ratio_low"]) / (2 * 1.959964), abs(math.log(row["ratio"]))
            tail = lambda z: math.erfc(z / math.sqrt(2)) / 2
            worst = max(worst, abs(row["p_value"] - min(1, tail((size - relevant) / spread) + tail((size + relevant) / spread))))
    check(worst < 1e-6, f"p values are off by {worst:.1e} at the most")


def nothing(folder, launches, seed, fleets=20):
    """Fleets whose versions differ in nothing but devices and days."""
    wrong, covered, rows, mixed, scenarios = 0, 0, 0, 0, 0
    for number in range(fleets):
        path = folder / "nothing.jsonl"
        made_up.write(path, launches, seed * 1000 + number, effects=False)
        engine = engines.DuckDB()
        engine.load(path)
        asked = fleet.parameters(engine)
        answers = {question: engine.ask(question, **asked) for question in ("differences", "differences-by-class", "mix-shift")}
        engine.close()
        # Were all hypotheses true, the false-discovery rate would be the rate of families with any finding.
        wrong += any(row["finding"] in ("slower", "faster") for row in answers["differences-by-class"])
        covered += sum(row["ratio_low"] <= 1 <= row["ratio_high"] for row in answers["differences"])
        rows += len(answers["differences"])
        mixed += sum(row["finding"] in ("slower", "faster") for row in answers["mix-shift"])
        scenarios += len(answers["mix-shift"])
        path.unlink()
    # With a rate of 5 %, four of twenty or more come in 1.6 % of nights; the interval of a share of 95 % in 260 is ± 2.7 %, at three sigmas ± 4.1 %.
    check(wrong <= 3, f"{wrong} of {fleets} fleets without any difference have a finding (rate 5 %)")
    check(mixed <= 0.1 * scenarios, f"{mixed} of {scenarios} shifts of the mix are taken for another version's time (5 % at the most, each by itself)")
    check(abs(covered / rows - 0.95) < 0.041, f"{covered} of {rows} intervals cover the truth (95 %)")


class Names(html.parser.HTMLParser):
    """The elements of a page, the addresses it asks for, and whether each end has its begin."""

    EMPTY = {"meta", "link", "br", "line", "circle"}

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.addresses, self.faults, self.stops = [], collections.Counter(), [], [], 0
        self.text = ""

    def handle_starttag(self, tag, attributes):
        self.elements[tag] += 1
        self.addresses += [value for name, value in attributes if name in ("src", "href") and not (value or "").startswith(("#", "data:,"))]
        self.stops += ("tabindex", "0") in attributes
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_data(self, data):
        self.text += data

    def handle_startendtag(self, tag, attributes):
        self.elements[tag] += 1

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def page_of(answers, asked, launches, folder):
    text = page.page(answers, asked, "duckdb")
    (folder / "fleet.html").write_text(text, encoding="utf-8")
    names = Names()
    names.feed(text)
    check(not names.faults and not names.open and not names.addresses, f"the page is whole and asks for nothing ({len(text) // 1024} KB)")
    charts = len({row["scenario"] for row in answers["distribution"]}) + 1 + len({(row["scenario"], row["device_class"]) for row in answers["p90-by-day"] if row["launches"] >= 20})
    check(0 < names.elements["figure"] <= charts and names.stops >= names.elements["figure"], f"{names.elements['figure']} drawings, {names.stops} stops of the keyboard")
    check(f"{launches:,} launches" in text, "the page says how many launches there are")


def hostile(folder):
    """Names that would be elements, or the end of a text of SQL."""
    name = "<script>alert(1)</script>'; DROP TABLE launches; --\\\n\0é\u202e"
    path = folder / "hostile's.jsonl"
    lines = []
    for number in range(60):
        line = json.loads(next(made_up.Fleet(number, number=number).lines(1)))
        if line["schema"] != "sequencer.report/1":
            continue
        line["scenario"], line["version"] = name, "</style><u>" if number % 2 else name
        for each in line["operations"]:
            each["id"] += name
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines), encoding="utf-8")
    for kind in (engines.DuckDB, engines.ClickHouse):
        engine = kind()
        engine.load(path)
        asked = fleet.parameters(engine, candidate=name)
        answers = answers_of(engine, **asked)
        names = Names()
        names.feed(page.page(answers, asked, engine.name))
        check("\u202e" not in names.text + fleet.shown(answers["versions"]) and "\\u{202E}" in names.text, f"{engine.name}: no name turns round what is read")
        check(names.elements["script"] == 1 and names.elements["u"] == 0 and not names.faults and len(answers["versions"]) == 2,
              f"{engine.name}: no name of a launch becomes an element of the page, or ends a text of SQL")
        engine.close()


def computed(folder, launches, seed):
    """Each answer against one that is computed without SQL; the second time with rates at which more is found."""
    path = folder / "by-hand.jsonl"
    # Two days are one: so few launches would have no change points, which need twenty a day and class.
    day = lambda found: b'"startedAt":"%s' % str(made_up.FIRST_DAY + (datetime.date.fromisoformat(found[1].decode()) - made_up.FIRST_DAY) // 2).encode()
    path.write_bytes(b"".join(re.sub(b'"startedAt":"([0-9-]{10})', day, line) for line in made_up.Fleet(seed).lines(launches)))
    engine = engines.DuckDB()
    engine.load(path)
    for more in ({}, {"rate": 0.5, "relevant": 0.001}):
        asked = fleet.parameters(engine, **more)
        answers = answers_of(engine, **asked)
        faults = by_hand.differs(answers, path, asked)
        changes = len(answers["change-points"])
        check(not faults and (changes > 0 or not more), "; ".join(faults) or f"answers are those computed by hand, at a rate of {asked['rate']} with {changes} change points")
    engine.close()
    path.unlink()


def changed(report, number, **members):
    """A report with other members, of a launch of its own; `at__member` is one of `at`."""
    copy = {**report, "fleet": {**report["fleet"], "launchId": f"edge-{number}"}}
    for name, value in members.items():
        at, _, member = name.rpartition("__")
        if at:
            copy[at] = {**copy[at], member: value}
        else:
            copy[name] = value
    return copy


def edges(folder):
    """Lines that no test of a rate would notice: each is taken or kept aside, in every engine, and breaks no answer."""
    drawn = (json.loads(line) for kind, line in made_up.Fleet(7).drawn(400) if kind == "launch" and line.startswith(b'{"schema":"sequencer.report/1"'))
    reports = [report for report in drawn if report["outcome"] == "completed" and "fleet" in report][:40]
    first = reports[0]
    operation = {**first["operations"][0], "critical": True}
    days = {"2026-02-28T23:59:59Z": "2026-02-28", "2026-02-31T00:00:00Z": "1970-01-01", "1969-12-31T00:00:00Z": "1970-01-01", "2139-12-31T00:00:00Z": "2139-12-31",
            "9999-12-31": "1970-01-01", "infinity": "1970-01-01", "20260302": "1970-01-01", "": "1970-01-01", None: "1970-01-01"}
    taken = [
        *reports,
        *(changed(first, f"day {text}", startedAt=text) for text in days),
        # More months than ClickHouse takes in an insert, were it not told to.
        *(changed(first, f"month {month}", startedAt=f"{2000 + month // 12}-{month % 12 + 1:02}-05T00:00:00Z") for month in range(120)),
        # No id is none, however many say it.
        changed(first, "", fleet__launchId=""), changed(first, "", fleet__launchId="", version="no id"),
        changed(first, "twice", version="twice", operations=[operation] * 5),
        *(changed(first, f"took {took}", version="absurd", operations=[{**operation, "durationMs": took}]) for took in (-5e9, 1e308, "inf", None)),
        changed(first, "none", version="none", operations=[]),
        *(changed(first, f"version {version!r}", version=version) for version in ("back\\slash", "quote's", "", "line\nend", "nul\0", ":rate")),
        {"schema": "sequencer.crash/1", "scenario": "regular"},
        # A crash has completed nothing, whatever its line says.
        {"schema": "sequencer.crash/1", "scenario": "regular", "outcome": "completed", "budget": {"measuredMs": "inf", "verdict": "pass"}},
    ]
    aside = [
        *(changed(first, f"ms {text}", budget__measuredMs=text) for text in (-1, 9e12 + 1, 1e300, float("nan"), float("inf"), "inf", "x", None)),
        changed(first, "nan", operations=[{**operation, "durationMs": float("nan")}]),
        changed(first, "no budget", budget=None), changed(first, "verdict", budget__verdict="maybe"), changed(first, "outcome", outcome="Completed"),
    ]
    lines = [json.dumps(each) for each in taken] + [json.dumps(each) for each in aside]
    lines += [json.dumps(changed(first, "comma"))[:-1] + ",}", json.dumps(changed(first, "number", budget__measuredMs="@")).replace('"@"', "1e400"), "[]", '"text"', "\t"]
    # A text may have what is not JSON outside of it.
    taken.append(changed(first, "text", version="a, nan, -Infinity ,]"))
    path = folder / "edges.jsonl"
    path.write_bytes("\r\n\r\n".join([*lines, json.dumps(taken[-1])]).encode())
    answered = {}
    for kind in (engines.DuckDB, engines.ClickHouse):
        engine = kind()
        engine.load(path)
        (loaded,) = engine.ask("loads")
        check((loaded["taken"], loaded["repeated"], loaded["aside"]) == (len(taken), 0, len(aside) + 5), f"{engine.name}: of lines at the edges, {loaded['taken']} are taken and {loaded['aside']} aside")
        found = {row["launch_id"]: row["day"] for row in engine.rows("SELECT launch_id, day FROM launches WHERE launch_id LIKE 'edge-day%'")}
        check(found == {f"edge-day {text}": day for text, day in days.items()}, f"{engine.name}: days that are none are 1970-01-01")
        # Each version comes last once.
        for version in sorted({each.get("version", "") for each in taken} - {""}):
            asked = fleet.parameters(engine, candidate=version)
            for question in ("differences", "mix-shift"):
                engine.ask(question, **asked)
        asked = fleet.parameters(engine)
        answers = answered[engine.name] = answers_of(engine, **asked)
        try:
            json.dumps(answers, allow_nan=False)
            fault = ""
        except ValueError as error:
            fault = str(error)
        check(not fault, f"{engine.name}: all figures are numbers" + (f", but {fault}" if fault else ""))
        page.page(answers, asked, engine.name)
        try:
            engine.load(folder / "edges*.jsonl")
            check(False, f"{engine.name}: a pattern is taken for a file")
        except ValueError:
            check(True, f"{engine.name}: a pattern is not taken for a file")
        engine.close()
    # A number that is too large for any is no JSON to ClickHouse, and no budget to DuckDB.
    fault = differs(*({**answers, "lines-aside": []} for answers in answered.values()))
    check(not fault, fault or "clickhouse answers about lines at the edges as DuckDB does")


def sentences(folder):
    """What the page says where there is little to say: that nothing is found is no answer where nothing was compared, or what was compared is another version."""
    drawn = [json.loads(line) for kind, line in made_up.Fleet(7).drawn(1500) if kind == "launch" and line.startswith(b'{"schema":"sequencer.report/1"')]
    late = max(day["startedAt"] for day in drawn)
    new = next(each for each in drawn if each["version"] == "2.4" and "fleet" in each)
    path = folder / "sentences.jsonl"

    def said(lines, **named):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        engine = engines.DuckDB()
        try:
            engine.load(path)
            asked = fleet.parameters(engine, **named)
            return (asked["baseline"], asked["candidate"]), page.findings(answers_of(engine, **asked), asked)
        except ValueError as error:
            return ("", ""), str(error)
        finally:
            engine.close()

    names, words = said([{**each, "version": "2.4"} for each in drawn[:200]])
    check("no version to compare" in words, f"one version: {words}")
    names, words = said([each for each in drawn if (each["version"] == "2.3") == (each["startedAt"] < "2026-03-28")])
    check("cannot be compared" in words, f"versions of different days: {words}")
    check("cannot be compared" in said([each if each["version"] == "2.4" else {**each, "fleet": {}} for each in drawn])[1], "a version that says no device class cannot be compared")
    check("there is no launch of version" in said(drawn, candidate="2.44")[1], "a version that is not there is refused")
    same = [changed(each, f"{number} {version}", version=version, startedAt=new["startedAt"]) for number, each in enumerate(each for each in drawn[:200] if "fleet" in each) for version in ("1", "2")]
    names, words = said(same)
    check(names == ("1", "2") and "No operation is slower or faster in 2 than in 1 for sure" in words, f"two versions that are the same: {words}")
    few = [changed(new, f"{version} {number}", version=version, budget__measuredMs=ms + number) for version, ms in (("1", 100), ("2", 200)) for number in range(3)]
    check("is slower" not in said(few)[1], "six launches make no finding")
    for words, lines in (("a wrong clock", [changed(new, "clock", startedAt="1970-01-01T00:00:00Z")]), ("a straggler", [changed(new, "late", version="1.0", startedAt=late)])):
        check(said([*drawn, *lines])[0] == ("2.3", "2.4"), f"{words} changes no versions that are compared")
    renamed = [{**each, "version": {"2.3": "2.9", "2.4": "2.10"}[each["version"]], "startedAt": new["startedAt"]} for each in drawn]
    check(said(renamed)[0] == ("2.9", "2.10"), "of versions of the same days, 2.10 comes after 2.9")


def kept(engine, folder, launches):
    """What was kept, read by DuckDB."""
    import duckdb

    engine.keep(folder)
    found = duckdb.sql(f"SELECT count(*), count(DISTINCT launch_id), count(DISTINCT day), count(DISTINCT version) FROM read_parquet('{folder}/launches/**/*.parquet', hive_partitioning = true)").fetchall()[0]
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    check(found == (launches, launches, made_up.DAYS, len(made_up.SHARES)), f"{engine.name}: Parquet has {found[0]:,} launches of {found[2]} days and {found[3]} versions; {size / launches:.0f} bytes a launch")


def schemas(path, schema):
    """Lines are what the tool writes, but for the member that the app adds."""
    try:
        from jsonschema import Draft202012Validator
    except ModuleNotFoundError:
        return check(False, "the Python module jsonschema is missing")
    validator, tried = Draft202012Validator(json.loads(pathlib.Path(schema).read_text(encoding="utf-8"))), 0
    for _, line in zip(range(600), path.open("rb")):
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if not isinstance(report, dict) or report.get("schema") != "sequencer.report/1" or "scenario" not in report:
            continue
        report.pop("fleet", None)
        faults = [error.message for error in validator.iter_errors(report)]
        if faults:
            return check(False, f"a made-up line is no report: {faults[0][:200]}")
        tried += 1
    check(tried > 400, f"{tried} made-up lines are reports by the schema")


def run_engine(kind, path, truth, expected=None):
    begin = time.monotonic()
    engine = kind()
    engine.load(path)
    loaded = time.monotonic() - begin
    counted(engine, truth)
    begin = time.monotonic()
    asked = fleet.parameters(engine)
    answers = answers_of(engine, **asked)
    print(f"      {engine.name}: {truth['lines'] / loaded:,.0f} lines a second loaded, {len(answers)} questions in {time.monotonic() - begin:.1f} s", flush=True)
    if expected:
        fault = differs(expected, answers)
        check(not fault, fault or f"{engine.name} answers {len(answers)} questions as DuckDB does")
    return engine, asked, answers


def spark(path, truth, expected, folder):
    """A master and two workers, one of which is killed while its tasks run."""
    import spark_engine

    cluster = spark_engine.Cluster(folder)
    engine = None
    try:
        engine = spark_engine.Spark(master=cluster.url)
        engine.load(path)
        asked = fleet.parameters(engine)
        engine.session.catalog.clearCache()
        engine.load(path)
        answered = []
        job = threading.Thread(target=lambda: answered.append(engine.ask("differences", **asked)))
        job.start()
        moment = (0, 0)
        while job.is_alive() and not (moment[0] >= 1 and moment[1] >= 1):
            time.sleep(0.02)
            moment = engine.running()
        was_running = job.is_alive()
        cluster.kill(cluster.workers[0])
        job.join()
        check(was_running and moment[1] >= 1, f"spark: a worker is killed while {moment[1]} tasks run, {moment[0]} of the stage are done")
        fault = differs({"differences": expected["differences"]}, {"differences": answered[0]}) if answered else "no answer"
        check(not fault, fault or "spark gives the same answer with one worker less")
        counted(engine, truth)
        begin = time.monotonic()
        fault = differs(expected, answers_of(engine, **asked))
        check(not fault, fault or f"spark answers {len(expected)} questions as DuckDB does, in {time.monotonic() - begin:.1f} s on the worker that is left")
        kept(engine, folder / "kept-spark", truth["launches"])
    finally:
        if engine:
            engine.close()
        cluster.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--launches", type=int, default=200_000)
    parser.add_argument("--spark-launches", type=int, default=20_000)
    parser.add_argument("--nothing-launches", type=int, default=10_000)
    parser.add_argument("--computed-launches", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schema")
    parser.add_argument("--only", choices=["engines", "truth", "spark"], nargs="+", default=["engines", "truth", "spark"])
    given = parser.parse_args()
    given.folder = given.folder.resolve()
    given.folder.mkdir(parents=True, exist_ok=True)
    if "engines" in given.only:
        path = given.folder / "made-up.jsonl"
        truth = made_up.write(path, given.launches, given.seed)
        if given.schema:
            schemas(path, given.schema)
        duck, asked, answers = run_engine(engines.DuckDB, path, truth)
        exact(duck, answers)
        tails(answers)
        true(answers)
        misses(answers, truth)
        page_of(answers, asked, truth["launches"], given.folder)
        click, _, _ = run_engine(engines.ClickHouse, path, truth, answers)
        again = given.folder / "again.jsonl.gz"
        with path.open("rb") as lines, gzip.open(again, "wb", compresslevel=1) as packed:
            packed.writelines(line for _, line in zip(range(1000), lines))
        for engine in (duck, click):
            engine.load(again)
            row = next(row for row in engine.ask("loads") if row["file"].endswith(".gz"))
            check(row["lines"] == 1000 and row["taken"] == 0, f"{engine.name}: of {row['lines']} lines that are sent again, {row['taken']} count")
            kept(engine, given.folder / f"kept-{engine.name}", truth["launches"])
            engine.close()
        hostile(given.folder)
        edges(given.folder)
        sentences(given.folder)
        computed(given.folder, given.computed_launches, given.seed)
        path.unlink()
    if "truth" in given.only:
        nothing(given.folder, given.nothing_launches, given.seed)
    if "spark" in given.only:
        path = given.folder / "spark.jsonl"
        truth = made_up.write(path, given.spark_launches, given.seed)
        duck, _, answers = run_engine(engines.DuckDB, path, truth)
        duck.close()
        spark(path, truth, answers, given.folder)
    print(f"check-fleet: {len(failures)} failed")
    # Spark's and ClickHouse's threads are not waited for.
    sys.stdout.flush()
    os._exit(1 if failures else 0)


if __name__ == "__main__":
    main()
