"""Made-up launches of a fleet whose truth is known, as the lines that an app sends. The same seed makes the same bytes.

The fleet: version 2.3 and, from the tenth day on, 2.4, which takes over within three weeks; 42 days; three scenarios, three device classes. What is so, and
what the questions are to find, is in TRUTH:

- `decode-cache` takes 1.30 times as long in 2.4, on low-end devices only; `restore-session` 0.80 times as long in 2.4, everywhere. No other operation differs.
- 2.4 is on twice as many low-end devices: the fleet's launches take longer by that alone (Simpson's paradox).
- The server answers `fetch-catalog` 1.5 times as late from the 29th day on, whatever the version. That is no difference between versions, though 2.4 has more
  of those days.
- `fetch-configuration` falls back twice as often in 2.4. Its time is the same.
- 2.4 crashes in `decode-cache` on low-end devices, and some of those devices crash in a loop.
"""
import bisect
import datetime
import itertools
import json
import math
import random

DAYS, FIRST_DAY = 42, datetime.date(2026, 3, 2)
ROLLOUT, SLOW_SERVER = 9, 28
CLASSES = {"high": 0.75, "mid": 1.0, "low": 1.9}
SHARES = {"2.3": (0.35, 0.47, 0.18), "2.4": (0.28, 0.36, 0.36)}
STARTS = {"cold": 1.0, "prewarmed": 0.8, "warm": 0.6}
SCENARIOS = ("regular", "regular", "regular", "push", "first-launch")
LIMIT_MS = 900
# The initial display, whose own budget devices of the class 'low' often miss. A push shows none.
DISPLAY, DISPLAY_LIMIT_MS = "load-fonts", 60

# Identifier, usual milliseconds, what it comes after. In an order in which each comes after those it needs.
OPERATIONS = (
    ("settings", 12, ()),
    ("keychain", 25, ()),
    ("open-database", 80, ()),
    ("load-fonts", 30, ()),
    ("analytics", 20, ("settings",)),
    ("restore-session", 90, ("keychain",)),
    ("fetch-configuration", 110, ("settings",)),
    ("migrate-database", 15, ("open-database",)),
    ("decode-cache", 170, ("migrate-database",)),
    ("fetch-catalog", 150, ("restore-session", "fetch-configuration")),
    ("start-player", 45, ("settings", "decode-cache")),
    ("warm-images", 55, ("load-fonts", "decode-cache")),
    ("main-screen", 40, ("fetch-catalog", "start-player", "warm-images")),
)
WITHOUT = {"regular": (), "push": ("start-player", "warm-images"), "first-launch": ("migrate-database", "warm-images")}
TRUTH = {"slower": {"decode-cache": {"low": 1.30}}, "faster": {"restore-session": {name: 0.80 for name in CLASSES}}, "mix": "low", "serverChange": "fetch-catalog"}
LEVELS = ("normal", "normal", "normal", "skipping", "without-trial-configuration", "without-caches", "minimal")
FALLBACKS = {"2.3": 0.02, "2.4": 0.04}
SPREAD = 0.35


def graph(scenario):
    left_out = WITHOUT[scenario]
    kept = [(name, usual, tuple(each for each in after if each not in left_out)) for name, usual, after in OPERATIONS if name not in left_out]
    places = {name: place for place, (name, _, _) in enumerate(kept)}
    return [(name, math.log(usual), [places[each] for each in after], after) for name, usual, after in kept]


GRAPHS = {scenario: graph(scenario) for scenario in WITHOUT}


def operations(numbers, scenario, device, start, day, slow):
    """What a launch on unlimited lanes measures: durations, begins, ends, and the places of the critical path."""
    gauss, base = numbers.gauss, math.log(CLASSES[device] * STARTS[start])
    slow = {**slow, TRUTH["serverChange"]: math.log(1.5)} if day >= SLOW_SERVER else slow
    times, ends, begins, last = [], [], [], []
    for name, usual, after, _ in GRAPHS[scenario]:
        begin, cause = 0.0, -1
        for place in after:
            if ends[place] > begin:
                begin, cause = ends[place], place
        times.append(round(math.exp(usual + base + slow.get(name, 0.0) + SPREAD * gauss(0, 1)), 6))
        begins.append(begin)
        ends.append(round(begin + times[-1], 6))
        last.append(cause)
    path, place = [], len(times) - 1
    while place >= 0:
        path.append(place)
        place = last[place]
    return times, begins, ends, path[::-1]


def quoted(texts):
    return "[" + ",".join(f'"{text}"' for text in texts) + "]"


def operation_lines(scenario, times, begins, ends, path, outcomes):
    critical = set(path)
    for place, (name, _, _, after) in enumerate(GRAPHS[scenario]):
        outcome = outcomes.get(name, "succeeded")
        times_of = (
            f'"readyMs":null,"startMs":null,"endMs":{begins[place]},"waitMs":null,"durationMs":null,"slackMs":0,"critical":false,"lane":null,"attempts":0'
            if outcome == "skipped"
            else f'"readyMs":{begins[place]},"startMs":{begins[place]},"endMs":{ends[place]},"waitMs":0,"durationMs":{times[place]},"slackMs":0,'
            f'"critical":{"true" if place in critical else "false"},"lane":"lane {place % 4 + 1}","attempts":1'
        )
        failure = ',"failure":"timedOut"' if outcome == "fellBack" else ""
        yield f'{{"id":"{name}","outcome":"{outcome}",{times_of}{failure}{f""","after":{quoted(after)}""" if after else ""}}}'


class Fleet:
    """Draws launches one after the other; `counts` says what has been drawn. Without effects, versions differ in their devices and days alone.

    Launches are numbered from `number` on: fleets of several seeds are one where their numbers differ. `completed` says of the last launch what percentiles are
    asked for: scenario, version, start type, device class, milliseconds, and whether its schema is the first; None where it did not complete.
    """

    def __init__(self, seed, effects=True, number=0):
        self.slow = {
            (version, device): {
                name: math.log(factors[device])
                for effect in ("slower", "faster") for name, factors in TRUTH[effect].items() if effects and version == "2.4" and device in factors
            }
            for version in SHARES for device in CLASSES
        }
        self.numbers = random.Random(seed)
        self.counts = {"lines": 0, "launches": 0, "repeated": 0, "aside": 0, "newer": 0, "crashes": 0, "withoutFleet": 0, "missed": 0, "displays": 0, "displaysMissed": 0}
        self.cumulated = {version: list(itertools.accumulate(shares)) for version, shares in SHARES.items()}
        self.number = number
        self.completed = None

    def lines(self, launches):
        """The lines, as bytes with their ends: those that are sent twice, are broken or come of a newer version included."""
        return (line for _, line in self.drawn(launches))

    def drawn(self, launches):
        """The lines, each with what it is: a launch, one that is repeated, or one that belongs aside."""
        numbers, counts = self.numbers, self.counts
        for _ in range(launches):
            line = self.launch()
            counts["lines"] += 1
            counts["launches"] += 1
            yield "launch", line
            chance = numbers.random()
            if chance < 0.005:
                counts["lines"] += 1
                counts["repeated"] += 1
                yield "repeated", line
            elif chance < 0.008:
                counts["lines"] += 1
                counts["aside"] += 1
                yield "aside", self.broken(line)

    def launch(self):
        numbers = self.numbers
        self.number += 1
        self.completed = None
        day = min(int(numbers.random() * DAYS), DAYS - 1)
        adopted = 0 if day < ROLLOUT else min(0.9, 0.15 + 0.04 * (day - ROLLOUT))
        version = "2.4" if numbers.random() < adopted else "2.3"
        device = tuple(CLASSES)[min(bisect.bisect(self.cumulated[version], numbers.random()), 2)]
        start = ("cold", "cold", "prewarmed", "warm")[int(numbers.random() * 4)]
        scenario = SCENARIOS[int(numbers.random() * len(SCENARIOS))]
        moment = f"{FIRST_DAY + datetime.timedelta(days=day)}T{int(numbers.random() * 24):02}:{int(numbers.random() * 60):02}:{int(numbers.random() * 60):02}Z"
        crashes = 0
        chance, troubled = numbers.random(), version == "2.4" and device == "low"
        if numbers.random() < (0.02 if troubled else 0.002):
            crashes = 1 + min(int(numbers.expovariate(0.9 if troubled else 2.5)), 5)
        known = f'"fleet":{{"launchId":"{self.number:08x}","startType":"{start}","deviceClass":"{device}","recoveryLevel":"{LEVELS[crashes]}","crashesBefore":{crashes}}}'
        if chance < (0.02 if troubled else 0.003):
            self.counts["crashes"] += 1
            operation = "decode-cache" if troubled or numbers.random() < 0.2 else "fetch-catalog"
            return (f'{{"schema":"sequencer.crash/1","scenario":"{scenario}","version":"{version}","startedAt":"{moment}","operation":"{operation}",{known}}}\n').encode()
        if numbers.random() < 0.01:
            # An app that adds nothing: its launch is told by its line.
            self.counts["withoutFleet"] += 1
            known = ""
        return self.report(scenario, version, device, start, day, moment, known)

    def report(self, scenario, version, device, start, day, moment, known):
        numbers = self.numbers
        times, begins, ends, path = operations(numbers, scenario, device, start, day, self.slow[version, device])
        measured, work = ends[-1], round(sum(times), 6)
        outcome, more, chance, outcomes = "completed", "", numbers.random(), {}
        if numbers.random() < FALLBACKS[version]:
            outcomes["fetch-configuration"] = "fellBack"
        if chance < (0.012 if version == "2.3" else 0.004):
            outcome, more = "aborted", '"abort":{"by":"fetch-configuration","reason":"update-required"},'
        elif chance < 0.02:
            # The main screen never starts: the launch ends before it.
            measured, path = begins[-1], path[:-1]
            outcomes["fetch-catalog"], outcomes["main-screen"] = "failed", "skipped"
            outcome, more = "failed", '"failure":{"operation":"fetch-catalog","message":"fetch-catalog: the server did not answer."},'
        elif chance < 0.023:
            outcome = "cancelled"
        verdict = "fail" if outcome in ("failed", "cancelled") or measured > LIMIT_MS else "pass"
        display, missed = "", verdict == "fail"
        if scenario != "push":
            shown = next(end for (name, *_), end in zip(GRAPHS[scenario], ends) if name == DISPLAY)
            self.counts["displays"] += 1
            self.counts["displaysMissed"] += shown > DISPLAY_LIMIT_MS
            missed = missed or shown > DISPLAY_LIMIT_MS
            display = (f'"initialDisplay":"{DISPLAY}","initialDisplayMs":{shown},'
                       f'"initialDisplayBudget":{{"limitMs":{DISPLAY_LIMIT_MS},"verdict":"{"fail" if shown > DISPLAY_LIMIT_MS else "pass"}"}},')
        self.counts["missed"] += missed
        names = [GRAPHS[scenario][place][0] for place in path]
        causes = f',"causes":{quoted(names[-2:-1])}' if verdict == "fail" else ""
        schema = "sequencer.report/1"
        if numbers.random() < 0.01:
            self.counts["newer"] += 1
            schema, more = "sequencer.report/2", more + '"thermalState":{"begin":"nominal"},"budgets":[1,{"limitMs":"none"}],'
        if outcome == "completed":
            self.completed = (scenario, version, start if known else "", device if known else "", measured, schema == "sequencer.report/1")
        return (
            f'{{"schema":"{schema}","scenario":"{scenario}","version":"{version}","startedAt":"{moment}","outcome":"{outcome}",{more}'
            f'"budget":{{"limitMs":{LIMIT_MS},"measuredMs":{measured},"interactiveMs":0,"verdict":"{verdict}"{causes}}},"milestone":"main-screen",{display}'
            f'"makespanMs":{measured},"workMs":{work},"criticalPathMs":{measured},"criticalPath":{quoted(names)},"lanes":4,'
            f'"operations":[{",".join(operation_lines(scenario, times, begins, ends, path, outcomes))}]{"," + known if known else ""}}}\n'
        ).encode()

    def broken(self, line):
        """A line that is cut, not UTF-8, of another schema, or without what a report has to have."""
        kind = self.numbers.randrange(5)
        if kind == 0:
            return line[: len(line) // 2] + b"\n"
        if kind == 1:
            return line.replace(b'"scenario":"', b'"scenario":"\xff', 1)
        if kind == 2:
            return line.replace(b"sequencer.", b"sequencer.x-", 1)
        if kind == 3:
            return line.replace(b'"scenario"', b'"scenery"', 1)
        return b'a "line" of text, with \\ and {\n'


def write(path, launches, seed, effects=True):
    """Writes the lines into a file; returns the truth about them."""
    fleet = Fleet(seed, effects)
    with open(path, "wb", buffering=1 << 20) as file:
        file.writelines(fleet.lines(launches))
    return {**fleet.counts, "seed": seed, **(TRUTH if effects else {})}


def main():
    import argparse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--launches", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(json.dumps(write(given.file, given.launches, given.seed), indent=2))


if __name__ == "__main__":
    main()
