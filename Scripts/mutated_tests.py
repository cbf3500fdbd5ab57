"""The tests that test-mutations runs on each change, and how it runs them. Imported by it."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build-mutations"
TREE = WORK / "tree"
# Of suites, in seconds of processor time: the shortest are tried first.
SHORT = 1
LONG = 8
# Suites that take long because they try at random, or measure.
STRESS = re.compile("Random|Exploration|Property|Growth|Size")
# A run in which no more happens for so many seconds than this: processor time, and looks, of ten a second, at which a thread is awake. A test that waits
# in vain looks again and again for what does not come.
QUIET = 20
STIRRING = 4
AWAKE = 120
# And one that takes so many seconds in all, however much happens.
LONGEST = 1_800
# Of address space: a thousand threads have a stack of eight megabytes each.
MEMORY = 12 << 30


def fail(message):
    print(f"test-mutations: {message}", file=sys.stderr)
    raise SystemExit(2)


def text(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def output(*command, cwd=ROOT, **others):
    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", **others)
    except OSError as error:
        fail(f"{command[0]} cannot be run: {error.strerror}")
    if result.returncode != 0:
        fail(f"'{' '.join(map(str, command[:6]))} ...' has failed:\n{(result.stdout + result.stderr)[-4000:]}")
    return result.stdout


class Tests:
    def __init__(self, program, suites, seconds, reached):
        self.program, self.suites, self.seconds, self.reached = program, suites, seconds, reached

    @classmethod
    def built(cls, is_quick):
        if not pathlib.Path(f"/proc/self/task/{os.getpid()}/children").is_file():
            fail("a run that hangs is found by /proc/PID/task/TID/children, which this system does not have")
        folder = pathlib.Path(output("swift", "build", "--show-bin-path", cwd=TREE).strip())
        # A copy: whoever builds meanwhile changes nothing.
        built = folder / "SequencerPackageTests.xctest"
        program = folder / "Mutated.xctest"
        shutil.copy2(built, program)
        listed = output(program, "--testing-library", "swift-testing", "--list-tests")
        suites = sorted({match.group(1) for match in re.finditer(r"^(\w+\.\w+)/", listed, re.MULTILINE)})
        if is_quick:
            suites = [suite for suite in suites if not STRESS.search(suite)]
        if not suites:
            fail(f"no suite is listed by {program}")
        return cls(program, suites, {}, {})

    @classmethod
    def restored(cls, run):
        program = pathlib.Path(run["program"])
        if not program.is_file():
            fail(f"{program} is there no more: begin anew, without --resume")
        return cls(program, run["suites"], run["seconds"], {suite: set(numbers) for suite, numbers in run["reached"].items()})

    def run(self, suites, mutation=0, limit=float("inf"), trace=None):
        """How tests end: 'passed', 'failed' or 'hung', with the first failure, and the processor time."""
        pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")/"
        environment = {**os.environ, "MUTATION": str(mutation), "SWIFT_BACKTRACE": "enable=no", "RANDOM_LAUNCHES": "60"}
        # Also at night only the tests of the gate: the others measure, or take long.
        environment.pop("NIGHTLY", None)
        if trace:
            environment["MUTATION_TRACE"] = str(trace)

        def prepare():
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        log = WORK / "tests.log"
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [self.program, "--testing-library", "swift-testing", "--filter", pattern],
                cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True, preexec_fn=prepare,
            )
        try:
            return self.watch(process, log, limit)
        finally:
            # It has a session of its own: nothing else would end it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def watch(self, process, log, limit):
        used, status = 0.0, None
        begin = time.monotonic()
        # Since something has moved.
        moved, used_before, awake = time.monotonic(), 0.0, 0
        first, read = None, 0
        while True:
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
            with open(log, "rb") as file:
                file.seek(read)
                lines = file.read()
                # The last one may be there in part.
                lines = lines[: lines.rfind(b"\n") + 1]
                read += len(lines)
            for line in lines.decode(errors="replace").splitlines():
                if first is None and "recorded an issue" in line and "known issue" not in line:
                    first = line.strip()
            if first:
                status = "failed"
                break
            if process.returncode is not None:
                status = "passed" if process.returncode == 0 else "failed"
                if status == "failed":
                    number = -process.returncode
                    first = f"signal {signal.Signals(number).name}" if number > 0 else f"exit code {process.returncode}"
                break
            now, is_waiting = self.progress(process.pid)
            used = max(used, now or 0.0)
            awake += not is_waiting
            if used > used_before + STIRRING or awake > AWAKE:
                moved, used_before, awake = time.monotonic(), used, 0
            reasons = {
                f"{used:.0f} s of processor time": used > limit,
                f"next to nothing moved for {QUIET} s": time.monotonic() - moved > QUIET,
                f"no end after {LONGEST} s": time.monotonic() - begin > LONGEST,
            }
            if any(reasons.values()):
                status = "hung"
                first = next(reason for reason, is_so in reasons.items() if is_so)
                break
        return status, first, used

    @staticmethod
    def progress(pid):
        """The processor time that a process and its children have had, and whether all their threads are asleep: one that only has no processor,
        on a busy machine, is not."""
        ticks, is_waiting = 0, True
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                try:
                    state = open(f"/proc/{pid}/task/{thread}/stat").read().rpartition(")")[2].split()[0]
                    children = open(f"/proc/{pid}/task/{thread}/children").read().split()
                except (OSError, IndexError):
                    # It has ended since: something moves.
                    is_waiting = False
                    continue
                is_waiting &= state == "S"
                for child in map(int, children):
                    more, sleeps = Tests.progress(child)
                    ticks, is_waiting = ticks + (more or 0) * os.sysconf("SC_CLK_TCK"), is_waiting and sleeps
            fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
        except (OSError, IndexError, ValueError):
            return None, False
        return ticks / os.sysconf("SC_CLK_TCK"), is_waiting

    def look(self, count):
        """Runs every suite once as it is, and one that fails once more."""
        for suite in self.suites:
            trace = WORK / "trace"
            for _ in range(2):
                trace.write_bytes(bytes(count + 1))
                status, first, used = self.run([suite], trace=trace)
                if status == "passed":
                    break
                print(f"FAILED  {suite}: {first}", flush=True)
            if status != "passed":
                print(f"        {suite} is left out", flush=True)
                continue
            self.seconds[suite] = used
            self.reached[suite] = {number for number, byte in enumerate(trace.read_bytes()) if byte}
            print(f"ok      {suite}: {used:.1f} s, {len(self.reached[suite])} of the changes", flush=True)

    def rounds(self, mutation):
        """The suites that come by a change, in the order in which they are tried."""
        reaching = [suite for suite in self.reached if mutation["number"] in self.reached[suite]]
        stem = pathlib.Path(mutation["file"]).stem.split("+")[0]
        named = [suite for suite in reaching if stem in suite and self.seconds[suite] <= SHORT]
        others = [suite for suite in reaching if suite not in named]
        short = [suite for suite in others if self.seconds[suite] <= SHORT]
        middle = [suite for suite in others if SHORT < self.seconds[suite] <= LONG]
        long = [suite for suite in others if self.seconds[suite] > LONG]
        return [suites for suites in (named, short, middle, long) if suites]
