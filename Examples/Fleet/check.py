#!/usr/bin/env python3
"""Checks the engines against each other, and the answers against the truth of made-up fleets. Called by Scripts/check-fleet.

usage: check.py FOLDER [--launches N] [--spark-launches N] [--nothing-launches N] [--seed N] [--schema FILE] [--only engines|truth|spark...]
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
import sys
import threading
import time

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
    check(all(row["mix_shift"] and row["devices_ratio"] > 1.05 and row["raw_ratio"] > 1.05 and row["finding"] != "slower" for row in answers["mix-shift"]),
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
        wrong += any(row["finding"] != "no relevant difference" for row in answers["differences-by-class"])
        covered += sum(row["ratio_low"] <= 1 <= row["ratio_high"] for row in answers["differences"])
        rows += len(answers["differences"])
        mixed += sum(row["finding"] != "no relevant difference" for row in answers["mix-shift"])
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

    def handle_starttag(self, tag, attributes):
        self.elements[tag] += 1
        self.addresses += [value for name, value in attributes if name in ("src", "href") and not (value or "").startswith(("#", "data:,"))]
        self.stops += ("tabindex", "0") in attributes
        if tag not in self.EMPTY:
            self.open.append(tag)

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
    name = "<script>alert(1)</script>'; DROP TABLE launches; --\\"
    path = folder / "hostile's.jsonl"
    lines = []
    for number in range(60):
        line = json.loads(next(made_up.Fleet(number).lines(1)))
        if line["schema"] != "sequencer.report/1":
            continue
        line["scenario"], line["version"] = name, "</style><b>" if number % 2 else name
        for each in line["operations"]:
            each["id"] += name
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines), encoding="utf-8")
    engine = engines.DuckDB()
    engine.load(path)
    asked = {**fleet.parameters(engine), "baseline": "</style><b>", "candidate": "2"}
    answers = {question: engine.ask(question, **asked) for question in engines.QUESTIONS}
    names = Names()
    names.feed(page.page(answers, {**asked, "candidate": name}, "duckdb"))
    check(names.elements["script"] == 1 and names.elements["b"] == 0 and not names.faults, "no name of a launch becomes an element of the page")
    engine.close()


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
