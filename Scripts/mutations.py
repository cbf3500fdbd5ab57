"""Which changes test-mutations tries, and what came of them. Imported by it, so that it can be tested without a build."""
import collections
import hashlib
import json
import re


KEYS = ("file", "kind", "code", "original", "mutated")


def identity(mutation):
    """Lines move: a change is known by its text, by that of its line, and by its place among those of its file that have the same texts."""
    return tuple(mutation[key] for key in KEYS) + (mutation.get("place", 1),)


def number_places(mutations):
    """Gives each change that is the second or a later one with the same texts in its file its place: 2, 3 and so on."""
    places = collections.Counter()
    for mutation in mutations:
        key = identity(mutation)[:-1]
        places[key] += 1
        if places[key] > 1:
            mutation["place"] = places[key]


def in_order(mutations, seed):
    """So that the first N are as many of each file and kind as they are in all, whatever N is."""

    def number(*parts):
        return int(hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12

    groups = {}
    for mutation in mutations:
        groups.setdefault((mutation["file"], mutation["kind"]), []).append(mutation)
    places = []
    for key, group in groups.items():
        offset = number(seed, *key)
        group.sort(key=lambda mutation: number(seed, *key, mutation["number"]))
        places += [((rank + offset) / len(group), mutation["number"], mutation) for rank, mutation in enumerate(group)]
    return [mutation for _, _, mutation in sorted(places, key=lambda place: place[:2])]


def verdict(tests, mutation):
    """'killed', 'timed out' or 'survived', and why.

    A run that does not pass counts where a second one does not pass either, and then one without the change does: tests that are unsteady, disturb each
    other or have too slow a machine say nothing of the change. Where the first failure of the second run is another, as of two tests that run at the same
    time, a third run must fail like one of them.
    """
    reason = "no test comes by it"
    for suites in tests.rounds(mutation):
        limit = 10 * sum(tests.seconds[suite] for suite in suites) + 20
        ending, first, _ = tests.run(suites, mutation["number"], limit)
        if ending == "passed":
            reason = "" if reason == "no test comes by it" else reason
        elif not is_confirmed(tests, suites, mutation, limit, first):
            reason = f"not confirmed by a second run: {first}"
        else:
            unchanged, told, _ = tests.run(suites, 0, limit)
            if unchanged == "passed":
                return {"failed": "killed", "hung": "timed out"}[ending], first or ""
            reason = f"not confirmed, without the change it does not pass either: {told}"
    return "survived", reason


def is_confirmed(tests, suites, mutation, limit, first):
    seen = {test_of(first)}
    for _ in range(2):
        ending, first, _ = tests.run(suites, mutation["number"], limit)
        if ending == "passed":
            return False
        if ending == "hung" or test_of(first) in seen:
            return True
        seen.add(test_of(first))
    return False


def test_of(failure):
    """The name of the test that has failed; the whole of a failure that has none, such as a signal."""
    name = re.search(r"""Test ("(?:.|\n)*?"|\w+\(.*?\)) """, failure or "")
    return name[1] if name else failure


def untried(chosen, results):
    done = {result["number"] for result in results}
    return [mutation for mutation in chosen if mutation["number"] not in done]


def explanations(path):
    """The survivors that make no difference, each with the reason; raises ValueError where the file is not as it should be."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    keys = {*KEYS, "why"}
    for entry in entries if isinstance(entries, list) else [None]:
        texts = {key: value for key, value in entry.items() if key != "place"} if isinstance(entry, dict) else {}
        if texts.keys() != keys or not all(isinstance(text, str) for text in texts.values()) or not texts["why"] or not is_place(entry.get("place", 1)):
            raise ValueError(f"{path.name} should be a list of objects with {', '.join(sorted(keys))}, and place where it is not 1: {entry}")
    return entries


def is_place(value):
    return type(value) is int and value > 0


def explain(results, explained):
    """Gives each survivor that is explained its reason."""
    reasons = {identity(entry): entry["why"] for entry in explained}
    for result in results:
        if result["status"] == "survived" and identity(result) in reasons:
            result["why"] = reasons[identity(result)]


def outdated(results, explained, mutations):
    """The explanations that hold no more, each with the reason: of a change that cannot be made any more, or that tests fail for."""
    possible = set(map(identity, mutations))
    statuses = {identity(result): result["status"] for result in results}
    for key, count in collections.Counter(map(identity, explained)).items():
        if count > 1:
            yield key, "it is explained twice"
        if key not in possible:
            yield key, "it cannot be made any more"
        elif statuses.get(key, "survived") != "survived":
            yield key, "tests fail for it now"


def survivors(results):
    """Those that nothing explains."""
    return [result for result in results if result["status"] == "survived" and "why" not in result]


def describe(mutation):
    short = [re.sub(r"\s+", " ", mutation[key]) for key in ("original", "mutated")]
    short = [words if len(words) <= 90 else words[:87] + "..." for words in short]
    return f"{mutation['kind']}: {short[0]} → {short[1] or '(left out)'}"


def summary(results):
    count = collections.Counter(result["status"] for result in results)
    explained = sum("why" in result for result in results)
    found = count["killed"] + count["timed out"]
    score = 100 * found / max(len(results) - explained, 1)
    survived = f"{count['survived']} survived, {explained} of them explained"
    return f"{len(results)} changes: {count['killed']} killed, {count['timed out']} timed out, {survived}; score {score:.1f} %"


def tell(results, explained, mutations):
    """Prints what has to be looked at, and the sums; returns whether there is nothing to be looked at."""
    unexplained, old = survivors(results), list(outdated(results, explained, mutations))
    if unexplained:
        print("\nsurvived:")
    for result in unexplained:
        print(f"{result['file']}:{result['line']}  {describe(result)}" + (f"  ({result['reason']})" if result["reason"] else ""))
    if old:
        print("\nexplained, and no more so:")
    for (file, kind, _, original, mutated, _), reason in old:
        print(f"{file}  {describe({'kind': kind, 'original': original, 'mutated': mutated})}  ({reason})")
    print()
    for kind in sorted({result["kind"] for result in results}):
        of_kind = [result for result in results if result["kind"] == kind]
        print(f"{kind:11} {sum(result['status'] != 'survived' for result in of_kind):4} of {len(of_kind)}")
    print(summary(results))
    return not unexplained and not old


def self_test():
    """Whether all of this is as it should be; prints what is not."""
    problems = []

    def expect(is_so, text):
        if not is_so:
            problems.append(text)

    class Tests:
        """Suites whose runs end as it was told."""

        seconds = {"A": 1, "B": 2}

        def __init__(self, endings, unchanged):
            self.endings, self.runs = {suite: list(texts) for suite, texts in endings.items()}, 0
            self.unchanged = unchanged

        def rounds(self, _mutation):
            return [[suite] for suite in self.endings]

        def run(self, suites, number, _limit):
            self.runs += 1
            if number == 0:
                return self.unchanged.get(suites[0], "passed"), "another test", 0.1
            ending, _, name = self.endings[suites[0]].pop(0).partition(" ")
            return ending, name or "a test", 0.1

    alone = "not confirmed, without the change it does not pass either: another test"
    for endings, unchanged, expected, runs in [
        ({}, {}, ("survived", "no test comes by it"), 0),
        ({"A": ["passed"], "B": ["passed"]}, {}, ("survived", ""), 2),
        ({"A": ["failed", "failed"], "B": []}, {}, ("killed", "a test"), 3),
        ({"A": ["hung", "hung"], "B": []}, {}, ("timed out", "a test"), 3),
        ({"A": ["failed", "hung"], "B": []}, {}, ("killed", "a test"), 3),
        ({"A": ["failed x", "failed y", "failed x"], "B": []}, {}, ("killed", "x"), 4),
        ({"A": ["failed x", "failed y", "failed z"], "B": ["passed"]}, {}, ("survived", "not confirmed by a second run: x"), 4),
        ({"A": ["failed x", "failed y", "passed"], "B": ["passed"]}, {}, ("survived", "not confirmed by a second run: x"), 4),
        ({"A": ["failed", "passed"], "B": ["passed"]}, {}, ("survived", "not confirmed by a second run: a test"), 3),
        ({"A": ["failed", "passed"], "B": ["failed", "failed"]}, {}, ("killed", "a test"), 5),
        ({"A": ["failed", "failed"], "B": ["passed"]}, {"A": "failed"}, ("survived", alone), 4),
        ({"A": ["hung", "hung"], "B": ["failed", "failed"]}, {"A": "hung"}, ("killed", "a test"), 6),
    ]:
        tests = Tests(endings, unchanged)
        result = verdict(tests, {"number": 1})
        expect((result, tests.runs) == (expected, runs), f"{endings}, {unchanged}: {result} after {tests.runs} runs")

    def change(number, original="a < b", **others):
        code = f"while {original} {{"
        return {"number": number, "file": "A.swift", "kind": "comparison", "code": code, "original": original, "mutated": "a <= b", **others}

    mutations = [change(1), change(2), change(3, "b < a"), change(4, "c < d")]
    number_places(mutations)
    expect([mutation.get("place") for mutation in mutations] == [None, 2, None, None], "the places of changes with the same texts")
    failure = '✘ Test "a launch (\\"x\\")" recorded an issue at A.swift:1:2: Expectation failed'
    expect(test_of(failure) == '"a launch (\\"x\\")"' and test_of("signal SIGTRAP") == "signal SIGTRAP", f"{test_of(failure)} is the name of a test")
    order = in_order(mutations, 1)
    expect(sorted(mutation["number"] for mutation in order) == [1, 2, 3, 4], "a change is lost")
    expect(order != in_order(mutations, 2) or order != in_order(mutations, 3), "every seed has one order")
    expect([mutation["number"] for mutation in untried(mutations, [change(2), change(4)])] == [1, 3], "others are untried")
    entries = [change(0, original, why="it costs time only") for original in ("a < b", "b < a", "x < y")]
    results = [
        change(1, status="survived"), change(2, place=2, status="killed"), change(3, "b < a", status="killed"), change(4, "c < d", status="survived"),
    ]
    explain(results, entries)
    expect([result["number"] for result in survivors(results)] == [4], "another survivor than the one that nothing explains")
    said = dict(outdated(results, entries, mutations))
    expect({key[3]: text for key, text in said.items()} == {"b < a": "tests fail for it now", "x < y": "it cannot be made any more"}, f"outdated: {said}")
    expect(not list(outdated(results[1:], entries[:1], mutations)), "outdated, and it was not tried")
    other = [change(5, place=2, status="survived")]
    explain(other, entries)
    expect(survivors(other) == other, "an explanation was used at another place")
    expect([text for _, text in outdated([], entries[:1] * 2, mutations)] == ["it is explained twice"], "twice explained, and not said")
    expect(summary(results) == "4 changes: 2 killed, 0 timed out, 2 survived, 1 of them explained; score 66.7 %", summary(results))
    for problem in problems:
        print(problem)
    return not problems
