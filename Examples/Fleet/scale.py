#!/usr/bin/env python3
"""Measures `stats` of the tool, DuckDB and ClickHouse on made-up launches. By hand, on a machine that does nothing else.

  scale.py [--launches N] [--repeat N]      (default: 1000000 launches, each read once)

  --tool PATH        sequencer-cli, built for release (default: .build/release/sequencer-cli)
  --only NAME...     some of: stats, duckdb-lines, duckdb, clickhouse
  --repeat N         the subjects read each file N times, for more lines than can be made in the time; the stores, which count a launch once, do not
  --part N           launches of a file (default: 25000, of 80 MB)
  --minutes M        no further launches are made after so many, and no subject is waited for longer (default: 120)
  --folder FOLDER    where files and stores are for the time being (default: a temporary one)
  --seed N           where made-up launches begin (default: 1)

Launches are never all on the disk as lines. As many files as there are processors are made; each subject takes them, one after the other, with its watch running;
then they are deleted, and the next ones made. So each reads from memory what was just written, and nobody waits for a generator.

  stats          one process, which reads all lines from a pipe, and prints its summary at the end
  duckdb-lines   the same question in SQL: DuckDB reads the same members of the lines, and computes exact percentiles at the end
  duckdb         all tables of this example, in a file; then the question 'percentiles', and what is kept as Parquet
  clickhouse     the same in ClickHouse

Seconds are those of each subject alone, its beginning and its last answer included. An error is that of the worst percentile of all groups, against all times.
'!' marks `stats` where it takes more than a minute for a million launches, or more than 200 MB.

Exit status: 0; 1 when an error is larger than stated, a count differs, or a subject failed; 64 usage; 69 when a program or a package is missing.
"""
import argparse
import array
import concurrent.futures
import fcntl
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import engines
import made_up

PERCENTS = (50, 75, 90, 95, 99)
STATED = 2 ** (1 / 128) - 1
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Bytes of a launch on the disk, at the most: a store has the line, its operations, and what is being merged; Parquet comes beside it.
STORED = 4_000


# MARK: Launches

def make(path, launches, seed, number):
    """Writes a file; returns how many lines and bytes it has, and the times of all completed launches: of `stats`, which counts a line as often as it comes and
    knows the first schema alone, and of the tables."""
    fleet = made_up.Fleet(seed, number=number)
    lines, tables = {}, {}
    with open(path, "wb", buffering=1 << 20) as file:
        for kind, line in fleet.drawn(launches):
            file.write(line)
            if kind == "aside" or fleet.completed is None:
                continue
            scenario, version, start, device, milliseconds, is_first = fleet.completed
            if is_first:
                lines.setdefault((scenario, version), array.array("d")).append(milliseconds)
            if kind == "launch":
                tables.setdefault((scenario, version, start, device), array.array("d")).append(milliseconds)
    return fleet.counts["lines"], os.path.getsize(path), lines, tables


def percentiles(times, repeat):
    """The exact ones of times that come `repeat` times each: nearest ranks."""
    ordered = sorted(times)
    return [ordered[(max(math.ceil(percent * len(ordered) * repeat / 100), 1) - 1) // repeat] for percent in PERCENTS]


# MARK: Subjects. Each is a process of its own, begun before there are launches, so that its memory is its own; what it says is lines of JSON.

class Stats:
    """A process of the tool, which reads from a pipe."""

    def __init__(self, given, folder):
        self.output = folder / "stats.json"
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                [given.tool, "stats", "-", "--json"], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL, bufsize=0
            )
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            # A small pipe would measure how fast two processes take turns.
            fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, 1 << 20)

    def take(self, files):
        for path in files:
            with open(path, "rb", buffering=0) as file:
                while piece := file.read(1 << 20):
                    rest = memoryview(piece)
                    while rest:
                        rest = rest[self.process.stdin.write(rest):]

    def end(self, launches):
        self.process.stdin.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            raise RuntimeError(f"exit code {self.process.returncode} of stats")
        groups = [
            [[group["scenario"], group.get("version", "")], each["launches"], [each[f"p{percent}Ms"] for percent in PERCENTS]]
            for group in json.loads(self.output.read_text())["groups"] for each in group["outcomes"] if each["outcome"] == "completed"
        ]
        return {"groups": groups, "megabytes": usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)}


class Lines:
    """DuckDB, asked what `stats` is asked. A line that no reader of JSON takes is passed over."""

    def __init__(self, given, folder):
        import duckdb

        self.connection = duckdb.connect()
        self.connection.execute("SET preserve_insertion_order = false")
        self.connection.execute("CREATE TABLE times (scenario VARCHAR, version VARCHAR, outcome VARCHAR, ms DOUBLE, verdict VARCHAR)")

    def take(self, files):
        self.connection.execute(
            """INSERT INTO times SELECT scenario, version, outcome, budget.measuredMs, budget.verdict
            FROM read_json(?, format = 'newline_delimited', ignore_errors = true, columns = {schema: 'VARCHAR', scenario: 'VARCHAR', version: 'VARCHAR',
                outcome: 'VARCHAR', budget: 'STRUCT(measuredMs DOUBLE, verdict VARCHAR)'})
            WHERE schema IN ('sequencer.report/1', 'sequencer.crash/1') AND scenario IS NOT NULL""",
            [files],
        )

    def end(self, launches):
        rows = self.connection.execute(
            """SELECT scenario, coalesce(version, ''), count(*), quantile_disc(ms, [0.5, 0.75, 0.9, 0.95, 0.99]) FROM times WHERE outcome = 'completed'
            GROUP BY ALL"""
        ).fetchall()
        return {"groups": [[[scenario, version], count, list(values)] for scenario, version, count, values in rows]}


class Tables:
    """An engine with the tables of this example."""

    def __init__(self, name, folder):
        self.folder, self.store = folder, folder / "store"
        self.engine = engines.ENGINES[name](self.store)

    def take(self, files):
        for path in files:
            self.engine.load(path)

    def end(self, launches):
        rows = self.engine.ask("percentiles")
        return {"groups": [
            [[row[name] for name in ("scenario", "version", "start_type", "device_class")], row["launches"], [row[f"p{percent}_ms"] for percent in PERCENTS]] for row in rows
        ]}

    def sizes(self, launches):
        """What it takes on the disk, after the watch has stopped."""
        if self.engine.name == "duckdb":
            self.engine.run("CHECKPOINT")
            store = os.path.getsize(self.store)
        else:
            (row,) = self.engine.rows("SELECT sum(bytes_on_disk) AS size FROM system.parts WHERE active AND database = 'fleet'")
            store = int(row["size"])
        kept = self.folder / "kept"
        self.engine.keep(kept)
        parquet = sum(path.stat().st_size for path in kept.rglob("*.parquet"))
        return f"store {store / launches:.0f}, Parquet {parquet / launches:.0f}"


SUBJECTS = {
    "stats": Stats,
    "duckdb-lines": Lines,
    "duckdb": lambda given, folder: Tables("duckdb", folder),
    "clickhouse": lambda given, folder: Tables("clickhouse", folder),
}


def serve(given):
    """The process of a subject."""
    # Engines print, too.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**words):
        print(json.dumps(words), file=out, flush=True)

    try:
        begin = time.monotonic()
        subject = SUBJECTS[given.serve](given, pathlib.Path(given.folder))
        say(seconds=time.monotonic() - begin)
        for line in sys.stdin:
            asked, begin = json.loads(line), time.monotonic()
            if "files" in asked:
                subject.take(asked["files"])
                say(seconds=time.monotonic() - begin)
            else:
                found = subject.end(asked["launches"])
                seconds = time.monotonic() - begin
                found.setdefault("megabytes", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))
                if isinstance(subject, Tables):
                    found["bytes"] = subject.sizes(asked["launches"])
                say(seconds=seconds, **found)
                break
    except Exception as error:  # Each engine has errors of its own.
        say(error=f"{type(error).__name__}: {error}".split("\n")[0][:300], missing=isinstance(error, ModuleNotFoundError))
    out.flush()
    # ClickHouse's threads are not waited for.
    os._exit(0)


class Subject:
    """The process of a subject, seen from here."""

    def __init__(self, name, given, folder):
        self.name, self.seconds, self.error, self.missing, self.patience = name, 0.0, None, False, 60 * given.minutes
        (folder / name).mkdir()
        words = [sys.executable, __file__, "--serve", name, "--tool", given.tool, "--folder", str(folder / name)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hear()

    def ask(self, **words):
        if self.error is None:
            try:
                print(json.dumps(words), file=self.process.stdin, flush=True)
            except BrokenPipeError:
                self.error = "its process has ended"
                return {}
        return self.hear()

    def hear(self):
        if self.error is not None:
            return {}
        # One that hangs ends here, and the others go on.
        watch = threading.Timer(self.patience, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        said = json.loads(line) if line else {"error": "its process has ended"}
        self.error, self.missing = said.get("error"), said.get("missing", False)
        self.seconds += said.get("seconds", 0.0)
        return said

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()


# MARK: The measurement

def rounds(given, folder, pool, workers):
    """Makes files, a round of them after the other, and gives them out; they are gone when it goes on."""
    end, number = time.monotonic() + 60 * given.minutes, 0
    while number < given.launches and time.monotonic() < end:
        made = []
        for worker in range(workers):
            count = min(given.part, given.launches - number)
            if count > 0:
                path = folder / f"{worker}.jsonl"
                made.append((str(path), count, pool.submit(make, path, count, f"{given.seed}/{number}", number)))
                number += count
        yield [path for path, _, _ in made], sum(count for _, count, _ in made), [made_file.result() for _, _, made_file in made]
        for path, _, _ in made:
            os.unlink(path)


def judge(found, times, repeat):
    """The largest error of each percentile, as texts, and what is wrong."""
    exact, worst, faults = {group: (len(each) * repeat, percentiles(each, repeat)) for group, each in times.items()}, [0.0] * len(PERCENTS), []
    groups = {tuple(group): (count, values) for group, count, values in found["groups"]}
    if {group: count for group, (count, _) in groups.items()} != {group: count for group, (count, _) in exact.items()}:
        faults.append("it counts other launches")
    for group in groups.keys() & exact.keys():
        for place, (value, true) in enumerate(zip(groups[group][1], exact[group][1])):
            worst[place] = max(worst[place], abs(value - true) / true)
    # What is printed has six decimals.
    if max(worst) > STATED + 1e-8:
        faults.append(f"a percentile is off by {max(worst):.3%} (stated: {STATED:.3%})")
    return [f"{each:.3%}" for each in worst], faults


def measure(given, folder):
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    subjects, totals, times, answers = [], {"launches": 0, "lines": 0, "bytes": 0}, ({}, {}), {}
    try:
        for name in given.only:
            subjects.append(Subject(name, given, folder))
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            for files, launches, made in rounds(given, folder, pool, workers):
                totals["launches"] += launches * given.repeat
                for lines, size, *parts in made:
                    totals["lines"] += lines * given.repeat
                    totals["bytes"] += size * given.repeat
                    for whole, part in zip(times, parts):
                        for group, each in part.items():
                            whole.setdefault(group, array.array("d")).extend(each)
                for subject in subjects:
                    for _ in range(given.repeat):
                        subject.ask(files=files)
                if sys.stderr.isatty():
                    print(f"\r{totals['launches']:,} launches", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        answers = {subject.name: subject.ask(launches=totals["launches"]) for subject in subjects}
    finally:
        for subject in subjects:
            subject.close()
    print(f"{totals['launches']:,} launches: {totals['lines']:,} lines, {totals['bytes'] / totals['launches']:,.0f} bytes a launch; {workers} processors")
    return report(subjects, answers, totals, times, given.repeat)


def report(subjects, answers, totals, times, repeat):
    print(f"{'':14}{'seconds':>9}{'lines/s':>12}{'MB/s':>7}{'MB used':>9}" + "".join(f"{f'p{percent}':>8}" for percent in PERCENTS) + "  bytes a launch")
    failures = []
    for subject in subjects:
        found = answers[subject.name]
        if subject.error is not None:
            failures.append(f"{subject.name}: {subject.error}")
            continue
        lines, tables = times
        worst, faults = judge(found, tables if subject.name in engines.ENGINES else lines, repeat)
        failures += [f"{subject.name}: {fault}" for fault in faults]
        late = subject.name == "stats" and subject.seconds > 60 * totals["launches"] / 1e6
        large = subject.name == "stats" and found["megabytes"] > 200
        print(f"{subject.name:14}{subject.seconds:8.1f}{'!' if late else ' '}{totals['lines'] / subject.seconds:12,.0f}{totals['bytes'] / 1e6 / subject.seconds:7,.0f}"
              f"{found['megabytes']:8,.0f}{'!' if large else ' '}" + "".join(f"{each:>8}" for each in worst) + f"  {found.get('bytes', '')}".rstrip())
    for failure in failures:
        print(f"FAILED  {failure}", file=sys.stderr)
    if failures and len(failures) == sum(subject.missing for subject in subjects):
        return 69
    return 1 if failures else 0


def arguments():
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False)
    parser.add_argument("--launches", type=int, default=1_000_000)
    parser.add_argument("--tool", default=str(ROOT / ".build" / "release" / "sequencer-cli"))
    parser.add_argument("--only", choices=list(SUBJECTS), nargs="+", default=list(SUBJECTS))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--part", type=int, default=25_000)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", choices=list(SUBJECTS))
    parser.add_argument("-h", "--help", action="store_true")
    parser.error = lambda message: (print(f"scale: {message}; see --help", file=sys.stderr), sys.exit(64))
    given = parser.parse_args()
    if given.help:
        print(__doc__.strip())
        sys.exit(0)
    if min(given.launches, given.part, given.repeat) < 1:
        parser.error("--launches, --part and --repeat are at least 1")
    if given.repeat > 1 and not given.serve and not engines.ENGINES.keys().isdisjoint(given.only):
        parser.error("the stores count a launch once: --repeat needs --only with others, such as --only stats duckdb-lines")
    return given


def main():
    given = arguments()
    if given.serve:
        serve(given)
    if "stats" in given.only and not os.access(given.tool, os.X_OK):
        print(f"scale: there is no {given.tool}; run 'swift build -c release --product sequencer-cli', or name one with --tool", file=sys.stderr)
        return 69
    with tempfile.TemporaryDirectory(dir=given.folder, ignore_cleanup_errors=True) as folder:
        stores = sum(name in given.only for name in ("duckdb", "clickhouse"))
        needed, free = given.launches * STORED * stores, shutil.disk_usage(folder).free
        if needed > free:
            print(f"scale: {folder} has {free / 1e9:.0f} GB, the stores may need {needed / 1e9:.0f}; see --folder and --only", file=sys.stderr)
            return 1
        return measure(given, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
