"""Random scenario files, sound ones and ones with mistakes, given to the schema and to the tool: both have to accept the same.

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
    "|".join(
        [
            "^duplicate id ", "^unknown dependency ", "depends on itself$", "is not an operation", "cycle: ",
            "^unknown fact ", "^unknown value of ", "its failure ends the launch", "has a fallback, so it does not fail", "is deferrable, so operations",
            "cannot be deferrable", r"cannot be printed, \\u\{(200C|200D|FE0E|FE0F)\}$", "is the initial display, and waits for",
            "'maxBackoff' .* is less than 'backoff'", "^the header .* is given twice",
        ]
    )
)

# Those that it can say of some files only: where a dependency is an object, or a name is not ASCII, it cannot.
EITHER = re.compile("^the dependency .* is given twice$|bytes; at most 256 are allowed$")

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
    "https://example.com:0", "https://example.com:65536", "https://example.com:", "https://ex_ample.com", "https://example.com/%zz", "https://example.com/<",
    "https://[::1", "http://localhost.example/", "https:///a", "https://example.com/\n", "http://[::1]x/", "https://é.example/", "https://example.com/a b",
    'https://example.com/"', "https://example.com/{a}", "https://example.com:+80", "https://example.com/a|b", "https://.example", "https://example.com./",
]
ANY = [None, True, False, 0, 1, -1, 1.0, 1.5, 1e300, "", "a", "1s", [], ["a"], {}, {"id": "a"}]


def operation(random, ids):
    made = {"id": ids[-1]}
    if random.random() < 0.5:
        made["after"] = [dependency(random, one) for one in random.sample(ids[:-1], min(len(ids) - 1, random.randrange(3)))]
    for key, values in {
        "title": LABELS, "on": ["main", "background"], "timeout": DURATIONS[1:12], "interactive": [True, False], "deferrable": [True, False],
        "exclusive": [[], ["ui"], ["ui", "disk"]], "qos": ["userInteractive", "userInitiated", "utility", "background", "default"], "expected": DURATIONS,
        "when": [True, False, {"f": "x"}, {"f": ["x", "y"], "g": "z"}],
        "retry": [{"attempts": 1}, {"attempts": 100, "backoff": "0s", "multiplier": 1, "jitter": 0.5}, {"attempts": 2, "backoff": "1s", "maxBackoff": "2s"}],
    }.items():
        if random.random() < 0.2:
            made[key] = copy.deepcopy(random.choice(values))
    if random.random() < 0.3:
        made["onFailure"] = random.choice(["required", "skipDependents", "continue"])
    elif random.random() < 0.3:
        made["fallback"] = random.choice(["", "cached\n"])
        if random.random() < 0.5:
            made["cuttable"] = True
    if random.random() < 0.8:
        made["work"] = random.choice(
            [
                {"simulate": random.choice(DURATIONS)}, {"compute": random.choice(DURATIONS)}, {"command": ["true", "", "a\tb"]},
                {"http": {"url": random.choice(URLS)}},
                {"http": {"url": "https://example.com", "method": random.choice(["GET", "DELETE"]), "headers": {"Accept": "a\tb", "x-1!": ""}}},
            ]
        )
    return made


def dependency(random, id):
    if random.random() < 0.6:
        return id
    made = {"id": id}
    if random.random() < 0.5:
        made["onFailure"] = random.choice(["skip", "continue"])
    if random.random() < 0.5:
        made["optional"] = random.choice([True, False])
    return made


def sound(random):
    ids = []
    made = {"schema": "sequencer.scenario/1", "name": random.choice(LABELS), "operations": [], "facts": {"f": ["x", "y"], "g": ["z"]}}
    for place in range(random.randrange(6)):
        ids.append(f"{random.choice(LABELS[:7])} {place}")
        made["operations"].append(operation(random, ids))
    for key, values in {"budget": DURATIONS[1:12], "deadline": DURATIONS[1:12], "lanes": [1, 1024], "milestone": ids, "initialDisplay": ids}.items():
        if values and random.random() < 0.3:
            made[key] = random.choice(values)
    return made


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


def main(count, seed, command):
    schema = pathlib.Path(__file__).resolve().parent.parent / "Schemas/scenario.schema.json"
    validator = validators.extend(Draft202012Validator, {"pattern": pattern})(json.loads(schema.read_text(encoding="utf-8")))
    (accepted, refused, disagreements) = (0, 0, 0)
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        document = sound(chance)
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            document = damaged(document, chance)
        text = json.dumps(document, ensure_ascii=False)
        (errors, found) = (list(validator.iter_errors(document)), complaints(command, text))
        if errors:
            refused += 1
        else:
            accepted += 1
        sure = [message for message in found if not EITHER.search(message)]
        if errors and found or not errors and not sure:
            continue
        disagreements += 1
        says = f"the schema says: {errors[0].json_path}: {errors[0].message[:200]}" if errors else f"the tool says: {sure[0]}"
        print(f"{seed} {number}: {says}\n  {text}", file=sys.stderr)
    print(f"{accepted} files accepted, {refused} refused, {disagreements} disagreements")
    # A generator that makes one kind alone shows nothing.
    return 1 if disagreements or min(accepted, refused) < count // 10 else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
