"""Runs a command, and ends all that it has started. Imported by nightly, check-gate and test-mutations."""
import os
import signal
import subprocess
import sys
import time


def end_by_signals():
    """Lets SIGTERM and SIGHUP end this program as Ctrl-C does: by an exception, so that what it has started is ended too."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def members(session):
    """The processes of a session."""
    try:
        listed = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        listed = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, text=True, check=False).stdout.split()
    found = []
    for pid in map(int, listed):
        try:
            if os.getsid(pid) == session:
                found.append(pid)
        except (ProcessLookupError, PermissionError):
            pass
    return found


def end_session(session):
    """Ends the processes of a session: politely first, so that they end what they have started, then by SIGKILL."""
    for attempt in range(20):
        left = members(session)
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGTERM if attempt == 0 else signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        time.sleep(0.5 if attempt == 0 else 0.1)


def start(command, **options):
    """Starts a command in a session of its own, without standard input."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)


def run(command, limit, **options):
    """Runs a command to its end; nothing of it runs on afterwards.

    Returns its exit status, or None when it took longer than LIMIT seconds.
    """
    process = start(command, **options)
    try:
        return process.wait(timeout=max(1, limit))
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_session(process.pid)
        process.wait()
