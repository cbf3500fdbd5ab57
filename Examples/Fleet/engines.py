"""The engines: each takes statements, runs the ones of its folder, and answers a question with rows."""
import datetime
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
QUESTIONS = sorted(path.stem for path in (FOLDER / "questions").glob("*.sql"))


def literal(value):
    """A value as standard SQL has it, in which a backslash is nothing special, and NUL has no place."""
    if isinstance(value, (int, float)):
        return repr(value)
    return "(" + " || chr(0) || ".join("'" + part.replace("'", "''") + "'" for part in value.split("\0")) + ")" if "\0" in value else "'" + value.replace("'", "''") + "'"


def escaped_literal(value):
    """A value as SQL of ClickHouse and Spark has it, in which a backslash escapes."""
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0") + "'"


def statements(text):
    """The statements of a file. None of ours has a semicolon in a text, or a comment behind code."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [each.strip() for each in "\n".join(lines).split(";") if each.strip()]


def filled(statement, values, literal=literal):
    """The statement with its `:name`s replaced; a `::` of a cast is none."""
    return re.sub(r"(?<![:\w]):([a-z_]+)\b", lambda found: literal(values[found[1]]) if found[1] in values else found[0], statement)


def plain(value):
    """What JSON has of a value."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()[:10]
    if value is None or isinstance(value, (bool, int, str, float)):
        return value
    return float(value)


def plain_path(path):
    """A file's path, when it names one file: engines take a pattern for several, or for none, and say nothing."""
    if any(each in str(path) for each in "*?[{"):
        raise ValueError(f"{path}: engines take a name with *, ?, [ or {{ for a pattern; give the file another one")
    return str(path)


class Engine:
    name = ""
    literal = staticmethod(literal)

    def __init__(self):
        self.script("schema")

    def script(self, name, **values):
        for statement in statements((FOLDER / "dialects" / self.name / f"{name}.sql").read_text(encoding="utf-8")):
            self.run(filled(statement, values, self.literal))

    def load(self, path):
        """Takes the launches of a file of JSON lines, which may be compressed by gzip; a launch that is there already counts once."""
        self.script("load", file=plain_path(path))

    def keep(self, folder):
        """Writes what is to be kept as Parquet, a folder a day and version."""
        for table in ("launches", "operations"):
            (folder / table).mkdir(parents=True, exist_ok=True)
        self.script("keep", launches=str(folder / "launches"), operations=str(folder / "operations"))

    def ask(self, question, **values):
        """The answer to a question: a list of dictionaries, in the question's order."""
        (statement,) = statements((FOLDER / "questions" / f"{question}.sql").read_text(encoding="utf-8"))
        return self.rows(filled(statement, values, self.literal))

    def run(self, statement):
        raise NotImplementedError

    def rows(self, statement):
        raise NotImplementedError

    def close(self):
        pass


class DuckDB(Engine):
    name = "duckdb"

    def __init__(self, store=":memory:", threads=None):
        import duckdb

        self.connection = duckdb.connect(str(store))
        if threads:
            self.run(f"SET threads = {threads}")
        # The order of rows in tables is no part of an answer, and costs memory.
        self.run("SET preserve_insertion_order = false")
        super().__init__()

    def script(self, name, **values):
        # Bytes that no line of JSON has outside of a broken one.
        super().script(name, delimiter="\1\2\3\4", **values)

    def run(self, statement):
        self.connection.execute(statement)

    def rows(self, statement):
        done = self.connection.execute(statement)
        names = [column[0] for column in done.description]
        return [dict(zip(names, map(plain, row))) for row in done.fetchall()]

    def close(self):
        self.connection.close()


class ClickHouse(Engine):
    name = "clickhouse"
    literal = staticmethod(escaped_literal)
    # As the standard has it: what an outer join does not find is null, a cast of null is null, a column comes before an alias. Integers are numbers in JSON,
    # and what is kept takes the place of what was. Clocks that are wrong make a file of more than a hundred months, each a partition.
    SETTINGS = {
        "join_use_nulls": 1, "cast_keep_nullable": 1, "prefer_column_name_to_alias": 1, "output_format_json_quote_64bit_integers": 0,
        "engine_file_truncate_on_insert": 1, "max_partitions_per_insert_block": 0,
    }

    def __init__(self, store=None, threads=None):
        from chdb import session

        self.session = session.Session(str(store)) if store else session.Session()
        for name, value in {**self.SETTINGS, **({"max_threads": threads} if threads else {})}.items():
            self.run(f"SET {name} = {value}")
        self.run("CREATE DATABASE IF NOT EXISTS fleet")
        self.run("USE fleet")
        super().__init__()

    def run(self, statement):
        self.session.query(statement)

    def rows(self, statement):
        return json.loads(self.session.query(statement, "JSON").bytes())["data"]

    def close(self):
        self.session.close()


ENGINES = {each.name: each for each in (DuckDB, ClickHouse)}
