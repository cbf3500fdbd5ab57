"""What the scripts share that hurt a launch of the tool, or what it has stored, and look at the launch after it."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("SEQUENCER_CLI", str(ROOT / ".build" / "debug" / "sequencer-cli"))


def give_up(text):
    """Ends the script, which could not be run."""
    print(text, file=sys.stderr)
    raise SystemExit(2)


def check_tool(name):
    if not os.access(TOOL, os.X_OK):
        give_up(f"{name}: there is no {TOOL}; build it, or name one by SEQUENCER_CLI")


def command(state, service, version=None):
    words = [TOOL, "run", "--state", str(state), "--backend", service.url, "--budget", "10m", "--deadline", "2m", "--json"]
    return words + (["--app-version", version] if version else [])


OUTDATED = "0.1.0"


def make_outdated(state, service, name):
    """Has a version of the app complete a launch, then be told that it is too old; from then on the service is offline."""
    completed = Launch(state, service, OUTDATED)
    service.version_policy = {"minimumVersion": "99.0.0"}
    stopped = Launch(state, service, OUTDATED)
    service.is_offline = True
    if not completed.completed or not stopped.stopped:
        give_up(f"{name}: a version that is too old was not stopped: {completed}; {stopped}")


class Launch:
    """A launch that has ended: its exit code, report (None without one) and messages, and what it asked the service for."""

    def __init__(self, state, service, version=None):
        before = service.counts
        # None should take a tenth of that: whoever is still there then, hangs.
        words = command(state, service, version)
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as child:
            try:
                output, self.messages = child.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                child.kill()
                raise
        self.process, self.code = child.pid, child.returncode
        try:
            self.report = json.loads(output)
        except ValueError:
            self.report = None
        self.asked = {name: count - before.get(name, 0) for name, count in service.counts.items() if count != before.get(name, 0)}

    @property
    def completed(self):
        return self.code == 0 and self.report is not None and self.report.get("outcome") == "completed"

    @property
    def stopped(self):
        """Whether an update was asked for, in place of the main screen."""
        return self.code == 6 and self.report is not None and self.report.get("outcome") == "aborted"

    @property
    def logged_in(self):
        """Whether somebody had to log in."""
        return "password" in self.asked or "anonymous" in self.asked

    def __str__(self):
        outcome = self.report.get("outcome") if self.report else "no report"
        return f"exit {self.code}, {outcome}, asked {self.asked}, said {self.messages.strip()!r}"
