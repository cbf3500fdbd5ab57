#!/usr/bin/env python3
"""Questions about the launches of a fleet, asked of DuckDB, ClickHouse or Spark.

  fleet.py page OUTPUT (FILE... | --made-up N)     one HTML page from lines of reports, or from made-up ones
  fleet.py load FILE...                            takes the launches of these files into the store
  fleet.py ask [QUESTION...] [--json]              what the store answers; all questions without a name
  fleet.py keep FOLDER                             Parquet, a folder a day and version
  fleet.py questions                               the questions, each with its first line

  --engine ENGINE       duckdb (default), clickhouse or spark
  --store PATH          where the engine keeps what it has (default: fleet.duckdb, fleet.clickhouse); a page is made from a store of its own
  --files FILE...       files that are loaded before the command: Spark keeps nothing, and needs them each time
  --baseline VERSION    the versions that are compared; without them, the two that came last, of those with 30 launches or more
  --candidate VERSION
  --relevant SHARE      differences that are smaller are none (default: 0.02)
  --rate SHARE          of the differences that are called so, the share that may be wrong (default: 0.05)
  --seed N              where made-up launches begin (default: 1)

FILE holds JSON lines, as `sequencer-cli run --json-lines` and `report --json-lines` write them; .gz is read, too.

Exit status: 0, 1 when something is wrong with a file or the store, 64 usage, 69 when the engine's package is missing.
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

import engines
import made_up
import page
import spark_engine  # noqa: F401 (it adds itself to the engines)
from charts import visible

STORES = {"duckdb": "fleet.duckdb", "clickhouse": "fleet.clickhouse", "spark": None}


def parameters(engine, baseline=None, candidate=None, relevant=0.02, rate=0.05):
    """What questions are asked with; versions that nobody named are those that came last. A few launches are a device that was off for long, or a developer's."""
    rows = engine.ask("versions")
    versions = {row["version"] for row in rows}
    for named in (baseline, candidate):
        if named is not None and named not in versions:
            raise ValueError(f"there is no launch of version '{visible(named)}'; expected one of: {visible(', '.join(sorted(versions, key=natural))) or 'none'}")
    many = [row for row in rows if row["launches"] >= 30]
    ordered = [row["version"] for row in sorted(many if len(many) > 1 else rows, key=lambda row: (row["came_day"], natural(row["version"])))]
    candidate = candidate or next((version for version in reversed(ordered) if version != baseline), baseline or "")
    others = [version for version in ordered if version != candidate]
    return {"baseline": baseline or (others[-1] if others else candidate), "candidate": candidate, "relevant": relevant, "rate": rate}


def natural(version):
    """Versions of one day in their order: 2.10 after 2.9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", version)]


def first_line(question):
    text = (engines.FOLDER / "questions" / f"{question}.sql").read_text(encoding="utf-8")
    return text.split("\n", 1)[0].removeprefix("-- ")


def shown(rows):
    """Rows as a table of text."""
    if not rows:
        return "(none)"
    texts = [[f"{value:.6g}" if isinstance(value, float) else "" if value is None else visible(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(rows[0], *texts)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in [list(rows[0]), *texts])


def share(text):
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a share between 0 and 1, found {text}")
    return value


def arguments():
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False)
    parser.add_argument("command", nargs="?", choices=["page", "load", "ask", "keep", "questions"])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--engine", choices=sorted(STORES), default="duckdb")
    parser.add_argument("--store")
    parser.add_argument("--made-up", type=int)
    parser.add_argument("--baseline")
    parser.add_argument("--candidate")
    parser.add_argument("--relevant", type=share, default=0.02)
    parser.add_argument("--rate", type=share, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", nargs="+", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.error = lambda message: (print(f"fleet: {message}; see --help", file=sys.stderr), sys.exit(64))
    given = parser.parse_args()
    if given.help or given.command is None:
        print(__doc__.strip())
        sys.exit(0 if given.help else 64)
    if given.command == "page" and (not given.words or bool(given.words[1:]) == (given.made_up is not None)):
        parser.error("page needs an OUTPUT, and either FILEs or --made-up")
    if given.command == "load" and not given.words or given.command == "keep" and len(given.words) != 1:
        parser.error(f"{given.command} needs {'FILEs' if given.command == 'load' else 'a FOLDER'}")
    if given.baseline is not None and given.baseline == given.candidate:
        parser.error("--baseline and --candidate are two versions")
    if given.made_up is not None and given.made_up < 1:
        parser.error("--made-up is at least 1")
    if given.command == "ask":
        for word in given.words:
            if word not in engines.QUESTIONS:
                parser.error(f"there is no question '{word}'; expected some of: {' '.join(engines.QUESTIONS)}")
    if given.engine == "spark" and (given.command == "load" or given.store):
        parser.error("Spark keeps nothing: name the files with --files")
    return given


def opened(given):
    store = None if given.command == "page" else given.store or STORES[given.engine]
    return engines.ENGINES[given.engine](*([store] if store else []))


def write_page(engine, given, folder):
    files = given.words[1:]
    if given.made_up is not None:
        files = [folder / "made-up.jsonl"]
        made_up.write(files[0], given.made_up, given.seed)
    for file in files:
        engine.load(file)
    asked = parameters(engine, given.baseline, given.candidate, given.relevant, given.rate)
    answers = {question: engine.ask(question, **asked) for question in engines.QUESTIONS}
    pathlib.Path(given.words[0]).write_text(page.page(answers, asked, engine.name), encoding="utf-8")
    print(f"{given.words[0]}: {sum(row['taken'] for row in answers['loads'])} launches, {sum(row['aside'] for row in answers['loads'])} lines aside")


def main():
    given = arguments()
    if given.command == "questions":
        print("\n".join(f"{question:22} {first_line(question)}" for question in engines.QUESTIONS))
        return 0
    store = pathlib.Path(given.store or STORES[given.engine] or ".")
    if given.command in ("ask", "keep") and not given.files and not store.exists():
        # An engine would make an empty one, which answers that there is nothing.
        print(f"fleet: there is no store {store}; 'fleet.py load FILE...' makes it", file=sys.stderr)
        return 1
    try:
        engine = opened(given)
    except ModuleNotFoundError as error:
        print(f"fleet: {given.engine} is missing ({error.name}); see Examples/Fleet/README.md", file=sys.stderr)
        return 69
    except Exception as error:  # Each engine has errors of its own.
        print(f"fleet: the store cannot be opened: {error}", file=sys.stderr)
        return 1
    try:
        for file in [*given.files, *given.words[given.command == "page":]] if given.command in ("page", "load") else given.files:
            if not pathlib.Path(file).is_file():
                print(f"fleet: there is no file {file}", file=sys.stderr)
                return 1
        for file in given.files:
            engine.load(file)
        if given.command == "page":
            with tempfile.TemporaryDirectory() as folder:
                write_page(engine, given, pathlib.Path(folder))
        elif given.command == "load":
            for file in given.words:
                engine.load(file)
            print(shown(engine.ask("loads")))
        elif given.command == "keep":
            engine.keep(pathlib.Path(given.words[0]).resolve())
        elif given.command == "ask":
            asked = parameters(engine, given.baseline, given.candidate, given.relevant, given.rate)
            answers = {question: engine.ask(question, **asked) for question in given.words or engines.QUESTIONS}
            print(json.dumps(answers, indent=1) if given.json else "\n\n".join(f"{first_line(each)}\n{shown(rows)}" for each, rows in answers.items()))
    except Exception as error:
        print(f"fleet: {error}", file=sys.stderr)
        return 1
    finally:
        engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
