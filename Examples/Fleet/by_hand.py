"""The answers computed without SQL, each as its definition has it: what the questions are held to. Slow, for some thousands of launches."""
import collections
import hashlib
import json
import math
import statistics

Z = 1.959964


def read(path):
    """The launches of a file, each once, and their operations. What made_up.py breaks on purpose is passed over."""
    launches = {}
    for line in path.read_bytes().splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if not isinstance(report, dict) or not str(report.get("schema")).startswith(("sequencer.report/", "sequencer.crash/")) or "scenario" not in report:
            continue
        known, budget, display = report.get("fleet", {}), report.get("budget", {}), report.get("initialDisplayBudget", {})
        launches.setdefault(known.get("launchId") or hashlib.sha256(line).hexdigest(), {
            "scenario": report["scenario"], "version": report.get("version", ""), "day": report.get("startedAt", "1970-01-01")[:10],
            "start_type": known.get("startType", ""), "device_class": known.get("deviceClass", ""), "recovery_level": known.get("recoveryLevel", ""),
            "before": known.get("crashesBefore", 0), "crash": report["schema"].startswith("sequencer.crash/"), "outcome": report.get("outcome"),
            "ms": budget.get("measuredMs"), "verdict": budget.get("verdict"), "display": display.get("verdict"),
            "stopped": (report.get("abort", {}).get("by") or report.get("failure", {}).get("operation") or report.get("operation") or "", report.get("abort", {}).get("reason", "")),
            "operations": report.get("operations", []),
        })
    return launches


def grouped(values, *names):
    groups = collections.defaultdict(list)
    for each in values:
        groups[tuple(each[name] for name in names)].append(each)
    return groups


def rank(ordered, percent):
    """The nearest rank."""
    return ordered[max(math.ceil(percent * len(ordered) / 100), 1) - 1]


def wilson(k, n, prefix="rate"):
    """The two rates at which k of n are as far away as 95 % allow: where (k/n - p)² = z² p (1 - p) / n."""
    a, b, c = 1 + Z * Z / n, -(2 * k / n + Z * Z / n), (k / n) ** 2
    root = math.sqrt(max(b * b - 4 * a * c, 0))
    return {prefix: k / n, f"{prefix}_low": max((-b - root) / (2 * a), 0), f"{prefix}_high": (-b + root) / (2 * a)}


def adjusted(values, harmonic=1.0):
    """Benjamini and Hochberg's: the least rate at which each is found, by trying all thresholds."""
    count = len(values)
    return [min([1.0] + [bound * count * harmonic / sum(other <= bound for other in values) for bound in values if bound >= value]) for value in values]


def compared(before, after, strata):
    """The difference of mean logarithms and its standard error, over the strata that both have twice: lists of (stratum, milliseconds)."""
    sides = [collections.defaultdict(list), collections.defaultdict(list)]
    for side, values in zip(sides, (before, after)):
        for stratum, value in values:
            side[stratum].append(math.log(value))
    both = [(sides[0][each], sides[1][each]) for each in strata if len(sides[0][each]) > 1 and len(sides[1][each]) > 1]
    sizes = [sum(len(side[place]) for side in both) for place in (0, 1)]
    if min(sizes) < 30:
        return None
    weights = [1 / (1 / len(one) + 1 / len(other)) for one, other in both]
    difference = sum(weight * (statistics.fmean(other) - statistics.fmean(one)) for weight, (one, other) in zip(weights, both)) / sum(weights)
    error = math.sqrt(sum(weight**2 * (statistics.variance(one) / len(one) + statistics.variance(other) / len(other)) for weight, (one, other) in zip(weights, both))) / sum(weights)
    return difference, error, *sizes


def differences(launches, asked, by_class):
    classes = any(each["device_class"] for each in launches.values())
    sides = collections.defaultdict(lambda: ([], []))
    for each in launches.values():
        if each["crash"] or each["version"] not in (asked["baseline"], asked["candidate"]) or classes and not each["device_class"]:
            continue
        for operation in each["operations"]:
            if operation["outcome"] == "succeeded" and (operation["durationMs"] or 0) > 0:
                key = (operation["id"], each["device_class"]) if by_class else (operation["id"],)
                stratum = (each["day"], each["scenario"], each["start_type"], each["device_class"])
                sides[key][each["version"] == asked["candidate"]].append((stratum, operation["durationMs"]))
    found = {key: compared(*side, {stratum for stratum, _ in side[0]}) for key, side in sides.items()}
    found = {key: value for key, value in found.items() if value}
    least, tail = math.log(1 + asked["relevant"]), lambda z: math.erfc(z / math.sqrt(2)) / 2
    tests = [min(1, tail((abs(d) - least) / se) + tail((abs(d) + least) / se)) for d, se, _, _ in found.values()]
    q_values = adjusted(tests)
    # The factor of Benjamini and Yekutieli comes before the bound of 1, which adjusted() has.
    any_values = adjusted(tests, sum(1 / place for place in range(1, len(tests) + 1)))
    rows = {}
    for (key, (d, se, one, other)), p, q, q_any in zip(found.items(), tests, q_values, any_values):
        low, high = d - Z * se, d + Z * se
        finding = ("slower" if d > 0 else "faster") if q <= asked["rate"] else "no relevant difference" if -least < low and high < least else "not sure"
        rows[key] = {"baseline_launches": one, "candidate_launches": other, "ratio": math.exp(d), "ratio_low": math.exp(low), "ratio_high": math.exp(high),
                     "p_value": p, "q_value": q, "q_value_any": q_any, "finding": finding}
    return rows


def mix_shift(launches, asked):
    classes = any(each["device_class"] for each in launches.values())
    rows = {}
    for (scenario,), members in grouped((each for each in launches.values() if each["outcome"] == "completed" and not each["crash"] and (each["device_class"] or not classes)), "scenario").items():
        sides = [[each for each in members if each["version"] == asked[side]] for side in ("baseline", "candidate")]
        strata = {(each["day"], each["start_type"], each["device_class"]) for each in sides[0]}
        own = compared(*([((each["day"], each["start_type"], each["device_class"]), each["ms"]) for each in side] for side in sides), strata)
        if not own:
            continue
        groups = [{key: [math.log(each["ms"]) for each in values] for key, values in grouped(side, "start_type", "device_class").items()} for side in sides]
        devices = 0.0
        for key in groups[0].keys() | groups[1].keys():
            shares = [len(group.get(key, ())) / len(side) for group, side in zip(groups, sides)]
            means = [statistics.fmean(group.get(key) or other[key]) for group, other in zip(groups, groups[::-1])]
            devices += (shares[1] - shares[0]) * sum(means) / 2
        raw = statistics.fmean(math.log(each["ms"]) for each in sides[1]) - statistics.fmean(math.log(each["ms"]) for each in sides[0])
        rows[scenario,] = {"raw_ratio": math.exp(raw), "devices_ratio": math.exp(devices), "version_ratio": math.exp(own[0]), "calendar_ratio": math.exp(raw - devices - own[0]),
                           "version_ratio_low": math.exp(own[0] - Z * own[1]), "version_ratio_high": math.exp(own[0] + Z * own[1]),
                           "mix_shift": abs(devices) >= math.log(1 + asked["relevant"])}
    return rows


def split(days):
    """Pettitt's test by its definition, and the place of the largest contrast: days are (day, value)."""
    values, count = [value for _, value in days], len(days)
    if count < 8:
        return None
    sign = lambda number: (number > 0) - (number < 0)
    largest = max(abs(sum(sign(one - other) for one in values[:t] for other in values[t:])) for t in range(1, count))
    contrast = lambda t: abs(statistics.fmean(values[:t]) - statistics.fmean(values[t:])) * math.sqrt(t * (count - t) / count)
    place = max(range(1, count), key=lambda t: (round(contrast(t), 12), -t))
    return min(1, 2 * math.exp(-6 * largest**2 / (count**3 + count**2))), place


def change_points(series, asked):
    """`series`: lists of (day, value) by key."""
    found = []
    for key, days in series.items():
        first = split(days)
        if first:
            found.append((key, days, *first))
            if first[0] <= asked["rate"]:
                found += [(key, part, *other) for part in (days[:first[1]], days[first[1]:]) if (other := split(part))]
    rows, least = {}, math.log(1 + asked["relevant"])
    for (key, days, p, place), q in zip(found, adjusted([p for _, _, p, _ in found])):
        before, after = (statistics.fmean(value for _, value in part) for part in (days[:place], days[place:]))
        if q <= asked["rate"] and abs(after - before) >= least:
            rows[(*key, days[place][0])] = {"before_ms": math.exp(before), "after_ms": math.exp(after), "ratio": math.exp(after - before), "p_value": p, "q_value": q}
    return rows


def answers(path, asked, p90_by_day):
    """What each question is to say: rows by what tells them apart. `p90_by_day` are the engine's rows, which are checked by themselves: change points start from them."""
    launches = read(path)
    everything = list(launches.values())
    reports = [each for each in everything if not each["crash"]]
    ran = [{**each, "launch": name, "operation": operation["id"], "ended": operation["outcome"], "critical": operation["critical"], "took": operation["durationMs"]}
           for name, each in launches.items() if not each["crash"] for operation in each["operations"]]
    result = {"differences": differences(launches, asked, False), "differences-by-class": differences(launches, asked, True), "mix-shift": mix_shift(launches, asked)}

    result["budget-misses"] = {}
    for key, members in grouped(reports, "scenario", "version", "device_class").items():
        shown, late = sum(each["display"] is not None for each in members), sum(each["display"] == "fail" for each in members)
        missed = sum("fail" in (each["verdict"], each["display"]) for each in members)
        result["budget-misses"][key] = {"launches": len(members), "misses": missed, **wilson(missed, len(members)), "display_launches": shown, "display_misses": late,
                                        **(wilson(late, shown, "display_rate") if shown else {"display_rate": None})}
    result["crashes"] = {
        key: {"launches": len(members), "crashes": sum(each["crash"] for each in members), **wilson(sum(each["crash"] for each in members), len(members)),
              "launches_in_loops": sum(each["before"] >= 3 for each in members), "most_crashes_before": max(each["before"] for each in members)}
        for key, members in grouped(everything, "version", "device_class").items()
    }
    result["crashes-by-operation"] = {key: {"crashes": count} for key, count in collections.Counter((each["version"], each["stopped"][0]) for each in everything if each["crash"]).items()}
    result["recovery-levels"] = {
        key: {"launches": len(members), "completed": sum(each["outcome"] == "completed" for each in members), "crashes": sum(each["crash"] for each in members)}
        for key, members in grouped(everything, "version", "recovery_level").items()
    }
    totals = collections.Counter(each["version"] for each in reports)
    stopped = collections.Counter((each["version"], each["outcome"], *each["stopped"]) for each in reports if each["outcome"] != "completed")
    result["aborts"] = {key: {"launches": totals[key[0]], "times": count, **wilson(count, totals[key[0]])} for key, count in stopped.items()}
    totals = collections.Counter((each["operation"], each["version"]) for each in ran)
    ended = collections.Counter((each["operation"], each["version"], each["ended"]) for each in ran if each["ended"] != "succeeded")
    result["outcomes"] = {key: {"launches": totals[key[:2]], "times": count, **wilson(count, totals[key[:2]])} for key, count in ended.items()}

    totals = collections.Counter((each["scenario"], each["version"]) for each in reports)
    time = collections.Counter()
    for each in ran:
        time[each["scenario"], each["version"]] += (each["took"] or 0) if each["critical"] else 0
    result["blame"] = {}
    for key, members in grouped(ran, "scenario", "version", "operation").items():
        waited = [each["took"] or 0 for each in members if each["critical"]]
        result["blame"][key] = {"launches": totals[key[:2]], "critical_launches": len(waited), **wilson(len(waited), totals[key[:2]], "critical_rate"),
                                "mean_critical_ms": statistics.fmean(waited) if waited else None, "share_of_critical_time": sum(waited) / time[key[:2]]}
    waited, time = collections.defaultdict(list), collections.Counter()
    for each in ran:
        if each["critical"]:
            waited[each["day"], each["operation"]].append(each["took"] or 0)
            time[each["day"]] += each["took"] or 0
    result["blame-by-day"] = {key: {"critical_launches": len(values), "mean_critical_ms": statistics.fmean(values), "share_of_critical_time": sum(values) / time[key[0]]}
                              for key, values in waited.items()}
    result["versions"] = {
        (version,): {"first_day": min(days), "came_day": sorted(days)[math.ceil(len(days) / 20) - 1], "last_day": max(days), "launches": len(days)}
        for (version,), members in grouped(everything, "version").items() if version for days in [[each["day"] for each in members]]
    }

    series = collections.defaultdict(list)
    for row in p90_by_day:
        if row["launches"] >= 20:
            series["p90 of scenario", row["scenario"], row["device_class"]].append((row["day"], math.log(row["p90_ms"])))
    took = grouped((each for each in ran if each["ended"] == "succeeded" and (each["took"] or 0) > 0), "operation", "device_class", "day")
    for (operation, device, day), members in sorted(took.items()):
        if len(members) >= 20:
            series["operation", operation, device].append((day, statistics.fmean(math.log(each["took"]) for each in members)))
    result["change-points"] = change_points(series, asked)
    return result


KEYS = {
    "differences": ("operation",), "differences-by-class": ("operation", "device_class"), "mix-shift": ("scenario",), "budget-misses": ("scenario", "version", "device_class"),
    "crashes": ("version", "device_class"), "crashes-by-operation": ("version", "operation"), "recovery-levels": ("version", "recovery_level"),
    "aborts": ("version", "outcome", "operation", "reason"), "outcomes": ("operation", "version", "outcome"), "blame": ("scenario", "version", "operation"),
    "blame-by-day": ("day", "operation"), "versions": ("version",), "change-points": ("kind", "name", "device_class", "day"),
}


def differs(found, path, asked):
    """Where an engine's answers are not those computed here, one sentence each question."""
    faults = []
    for question, rows in answers(path, asked, found["p90-by-day"]).items():
        others = {tuple(row[name] for name in KEYS[question]): row for row in found[question]}
        if others.keys() != rows.keys():
            faults.append(f"{question}: {sorted(others.keys() ^ rows.keys())[:3]} is in one only")
            continue
        for key, row in rows.items():
            for name, value in row.items():
                other = others[key][name]
                # The normal tail of SQL is off by 1e-7, of which a q-value has a multiple; the constants of its intervals have seven digits.
                near = 2e-5 if name in ("p_value", "q_value", "q_value_any") else 1e-8
                if not (math.isclose(value, other, rel_tol=1e-5, abs_tol=near) if isinstance(value, (int, float)) and isinstance(other, (int, float)) else value == other):
                    faults.append(f"{question}: {name} of {key} is {other!r}, and {value!r} by hand")
                    break
            else:
                continue
            break
    return faults + sketches(found, path)


def sketches(found, path):
    """Answers of the sketch, against the times themselves: each is in the bucket that is named."""
    launches, faults, growth = read(path), [], 2 ** (1 / 64)
    done = [{**each, "launch": name} for name, each in launches.items() if each["outcome"] == "completed" and not each["crash"]]
    inside = lambda value, high, wide=growth: high / wide * (1 - 1e-9) < value <= high * (1 + 1e-9)
    groups = grouped(done, "scenario", "version", "start_type", "device_class")
    if len(groups) != len(found["percentiles"]):
        faults.append(f"percentiles: {len(found['percentiles'])} groups, and {len(groups)} by hand")
    for row in found["percentiles"]:
        times = sorted(each["ms"] for each in groups[row["scenario"], row["version"], row["start_type"], row["device_class"]])
        share, middle = Z * math.sqrt(0.09 * len(times)), 0.9 * len(times)
        low, high = math.floor(middle - share), math.ceil(middle + share) + 1
        holds = row["launches"] == len(times) and all(inside(rank(times, percent), row[f"p{percent}_ms"] * math.sqrt(growth)) for percent in (50, 75, 90, 95, 99))
        holds = holds and (row["p90_low_ms"] is None if low < 1 else inside(times[low - 1], row["p90_low_ms"] * growth))
        if not holds or not (row["p90_high_ms"] is None if high > len(times) else inside(times[high - 1], row["p90_high_ms"])):
            faults.append(f"percentiles: {row} is not of {len(times)} times")
            break
    groups = grouped(done, "scenario", "device_class", "day")
    for row in found["p90-by-day"]:
        times = sorted(each["ms"] for each in groups[row["scenario"], row["device_class"], row["day"]])
        if row["launches"] != len(times) or not inside(rank(times, 90), row["p90_ms"] * math.sqrt(growth)):
            faults.append(f"p90-by-day: {row} is not of {len(times)} times")
            break
    groups, seen = grouped(done, "scenario", "version"), collections.Counter()
    for row in found["distribution"]:
        times = [each["ms"] for each in groups[row["scenario"], row["version"]]]
        seen[row["scenario"], row["version"]] += row["launches"]
        if row["launches"] != sum(inside(each, row["to_ms"], growth**8) for each in times) or not math.isclose(row["share"], row["launches"] / len(times)):
            faults.append(f"distribution: {row} is not of {len(times)} times")
            break
    if seen != {key: len(members) for key, members in groups.items()}:
        faults.append("distribution: it has other launches")
    behind = grouped(found["launches-behind"], "scenario", "version", "percentile")
    if behind.keys() != {(*key, percent) for key in groups for percent in (50, 90, 99)}:
        faults.append("launches-behind: not each percentile has launches")
    for row in found["launches-behind"]:
        times = sorted(each["ms"] for each in groups[row["scenario"], row["version"]])
        launch = launches[row["launch_id"]]
        waited = max((each["durationMs"] or 0 for each in launch["operations"] if each["critical"]), default=None)
        is_near = 1 / growth <= row["measured_ms"] / rank(times, row["percentile"]) <= growth
        if not is_near or (launch["scenario"], launch["version"], launch["ms"], waited) != (row["scenario"], row["version"], row["measured_ms"], row["longest_ms"]):
            faults.append(f"launches-behind: {row} is not that launch, or not of that percentile")
            break
    return faults
