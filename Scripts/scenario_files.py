"""Scenario files of the examples, and one with every key, as they are and with random mistakes, given to the schema and to the tool: both have to
accept the same.

A schema knows nothing of names: mistakes between operations, and the few others in BEYOND, are for the tool alone.

usage: scenario_files.py COUNT SEED COMMAND...    COMMAND runs the tool

Prints each file on which they disagree, and exits with 1 when there is one. Needs the Python module jsonschema.
"""
import copy
import json
import pathlib
import random
import re
import subprocess
import sys

from jsonschema import Draft202012Validator, ValidationError, validators

# The mistakes that no schema can say.
BEYOND = re.compile(
    "^duplicate id |^unknown dependency |depends on itself$|is not an operation|cycle: |^unknown fact |^unknown value of |its failure ends the launch"
    "|has a fallback, so it does not fail|is deferrable, so operations|cannot be deferrable|cannot be printed, \\\\u\\{(200C|200D|FE0E|FE0F)\\}$"
    "|is the initial display, and waits for|'maxBackoff' .* is less than 'backoff'|^the header .* is given twice"
)

# Those that it can say of some files only: where a dependency is an object, or a name is not ASCII, it cannot.
EITHER = re.compile("^the dependency .* is given twice$|bytes; the most is 256$")

DURATIONS = ["0s", "1ns", "0.5ms", "400ms", "1.50s", "007s", "24h", "1440m", "86400s", "86400000ms", "0.25us", "0.0000000010s", "00.000h"]
WRONG_DURATIONS = [
    "", "1", "s", "1 s", "-1s", "+1s", "1e3s", "24.1h", "25h", "1441m", "86401s", "86400.1s", "86400000.5ms", "0.5ns", "0.0001us", "0.00000001ms",
    "1.s", ".5s", "1S", "1min", "1s ", "99999999999999999999h", "0.0000000001h", "1,5s", "１s",
]
LABELS = ["a", "b", "c d", "ログイン", "🚀", "<b>", "a=b", "x" * 256, "é" * 128, "👨‍👩‍👧", "-"]
WRONG_LABELS = ["", " ", " a", "a ", "a\n", "a\tb", "\x1b[2J", "a\u202eb", "x" * 257, "\u2028", "\u0085", "a\u200bb", "a\u00adb", "\u2066a"]
URLS = [
    "https://example.com", "HTTPS://example.com:443/a?b=c#d", "http://localhost:8080", "http://127.0.0.1/", "http://[::1]/x", "https://[2001:db8::1]:8443",
    "https://a-b.example/%20?q=%E4", "https://example.com:00080/", "https://example.com/a@b",
]
WRONG_URLS = [
    "", "example.com", "ftp://example.com", "http://example.com", "https://", "https://a:b@c.example", "https://a b.example", "https://a..example",
    "https://example.com:0", "https://example.com:65536", "https://ex_ample.com", "https://example.com/%zz", "https://[::1", "https:///a", "https://é.example/",
]
ANY = [None, True, False, 0, 1, -1, 1.0, 1.5, 1e300, "", "a", "1s", [], ["a"], {}, {"id": "a"}]


def places(value, path=()):
    """Every place in a document, as the keys that lead there."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], path + (index,))


def damaged(document, random):
    document = copy.deepcopy(document)
    path = random.choice([path for path in places(document) if path and path != ("schema",)])
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    value = holder[path[-1]]
    kind = random.randrange(6)
    if kind == 0 and isinstance(holder, dict):
        del holder[path[-1]]
    elif kind == 1 and isinstance(value, dict):
        key = random.choice(["new", "id", "timeout", "simulate", "url", "attempts", "optional", "", "A b", "lanes", "after", "when", "=", "maxBackoff"])
        value[key] = copy.deepcopy(random.choice(ANY))
    elif kind == 2 and isinstance(value, list):
        value.append(copy.deepcopy(random.choice(value or ANY)))
    elif isinstance(value, str):
        pools = [WRONG_DURATIONS, DURATIONS, WRONG_LABELS, LABELS, WRONG_URLS, URLS]
        if re.fullmatch(r"[0-9.]+[a-z]+", value):
            pools = pools[:2]
        elif "://" in value:
            pools = pools[4:]
        holder[path[-1]] = random.choice(random.choice(pools))
    else:
        holder[path[-1]] = copy.deepcopy(random.choice(ANY))
    return document


def pattern(validator, pattern, instance, schema):
    """As in JavaScript, and so in JSON Schema, the end of a text is not before a line feed there; in Python it is."""
    if validator.is_type(instance, "string") and not re.search(re.sub(r"\$(?=$|\))", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def complaints(command, text):
    """What the tool says against a file, without what no schema can say."""
    result = subprocess.run([*command, "verify", "-", "--json"], input=text.encode(), capture_output=True, check=False)
    if result.returncode in (0, 1, 3):
        return []
    if result.returncode != 65:
        raise SystemExit(f"exit code {result.returncode} for {text}: {result.stderr.decode()}")
    if result.stdout:
        messages = [mistake["message"] for mistake in json.loads(result.stdout)["mistakes"]]
    else:
        messages = [line.split(": ", 3)[-1] if line.count(": ") > 2 else line for line in result.stderr.decode().splitlines()]
    return [message for message in messages if not BEYOND.search(message)]


# Every key, so that each may be damaged.
WHOLE = {
    "schema": "sequencer.scenario/1", "name": "whole", "budget": "3s", "deadline": "1m", "lanes": 4, "milestone": "c d", "initialDisplay": "a",
    "facts": {"f": ["x", "y"], "g": ["z"]},
    "operations": [
        {"id": "a", "title": "A", "on": "main", "work": {"simulate": "400ms"}, "qos": "utility", "expected": "0.5ms"},
        {"id": "b", "after": ["a"], "timeout": "1.50s", "retry": {"attempts": 2, "backoff": "1s", "multiplier": 1, "maxBackoff": "2s", "jitter": 0.5},
         "onFailure": "continue", "work": {"http": {"url": "https://example.com", "method": "GET", "headers": {"Accept": "a\tb", "x-1!": ""}}}},
        {"id": "c d", "after": [{"id": "b", "onFailure": "skip", "optional": True}], "when": {"f": ["x", "y"], "g": "z"}, "exclusive": ["ui", "disk"],
         "interactive": False, "fallback": "cached", "cuttable": True, "work": {"compute": "1ms"}},
        {"id": "e", "deferrable": True, "onFailure": "continue", "when": True, "work": {"command": ["true", "", "a\tb"]}},
    ],
}


def main(count, seed, command):
    root = pathlib.Path(__file__).resolve().parent.parent
    schema = json.loads((root / "Schemas/scenario.schema.json").read_text(encoding="utf-8"))
    validator = validators.extend(Draft202012Validator, {"pattern": pattern})(schema)
    sound = [WHOLE] * 10 + [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / "Examples/Scenarios").glob("*.json"))]
    accepted, disagreements = 0, 0
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        document = chance.choice(sound)
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            document = damaged(document, chance)
        text = json.dumps(document, ensure_ascii=False)
        errors, found = list(validator.iter_errors(document)), complaints(command, text)
        accepted += not errors
        sure = [message for message in found if not EITHER.search(message)]
        if not (errors and found or not errors and not sure):
            disagreements += 1
            words = f"the schema: {errors[0].json_path}: {errors[0].message[:200]}" if errors else f"the tool: {sure[0]}"
            print(f"{seed} {number}: {words}\n  {text}", file=sys.stderr)
    print(f"{accepted} of {count} files accepted, {disagreements} disagreements")
    # Files of one kind alone show nothing.
    return 1 if disagreements or not count // 10 <= accepted <= count * 9 // 10 else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
