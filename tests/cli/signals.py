"""Signals: the first ends a run with its answer, the second at once."""

import filecmp
import json
import os
import pty
import signal
import subprocess
import time

POLYAK = os.environ["POLYAK"]


def defaults():
    """Whoever started us may ignore signals; the program would respect that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments, **options):
    """A run that would go on for a minute."""
    command = [POLYAK, "solve", "p/A.npy", "p/b.npy", "--method", "gd", "--tol", "0",
               "--time-limit", "60", *arguments]
    return subprocess.Popen(command, preexec_fn=defaults, **options)


def start_measured(*arguments):
    """Such a run, past its first measurement."""
    process = start("--log-format", "json", *arguments, stderr=subprocess.PIPE,
                    stdout=subprocess.DEVNULL, text=True)
    for line in process.stderr:
        if json.loads(line)["event"] == "measure":
            return process
    raise AssertionError("ended before it measured")


def no_leftovers():
    left = [name for name in os.listdir(".") if name.startswith(".polyak-")]
    assert not left, left


def first_signal_writes_the_answer(number):
    process = start_measured("--output", "x.npy", "--report", "r.json", "--history", "h.csv")
    process.send_signal(number)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 128 + number, process.returncode
    report = json.load(open("r.json"))
    assert report["status"] == "interrupted", report["status"]
    assert os.path.getsize("x.npy") == 128 + 8 * report["cols"]
    assert open("h.csv").read().endswith("\n")
    assert json.loads(rest.splitlines()[-1])["exit_code"] == 128 + number
    for name in ("x.npy", "r.json", "h.csv"):
        os.remove(name)


def a_pipe_without_reader_ends_the_run():
    if "fsanitize=thread" in os.environ.get("POLYAK_FLAGS", ""):
        return  # that sanitizer holds signals back until open() returns, which it never does
    os.mkfifo("pipe.csv")  # nobody reads it: opening it blocks
    process = start_measured("--output", "pipe.csv", "--report", "r.json")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130, process.returncode
    assert not os.path.exists("r.json")


def second_signal_stops_at_once():
    process = start_measured("--output", "second.csv")
    process.send_signal(signal.SIGSTOP)  # both signals wait until it goes on
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=30)
    assert process.returncode in (130, 143), process.returncode


def ignored_stays_ignored():
    process = subprocess.Popen(
        [POLYAK, "solve", "p/A.npy", "p/b.npy", "--method", "gd", "--tol", "0", "--time-limit", "1",
         "--quiet"], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 3, process.returncode


def on_a_terminal(*arguments, term="xterm"):
    """What a run writes to a terminal on standard error."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([POLYAK, "solve", "p/A.npy", "p/b.npy", *arguments], stderr=follower,
                               stdout=subprocess.DEVNULL, env={**os.environ, "TERM": term})
    os.close(follower)
    text = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the last writer has closed it
            break
        if not piece:
            break
        text += piece
    process.wait(20)
    os.close(leader)
    return text.decode()


def progress_rewrites_one_line():
    slow = ("--method", "gd", "--tol", "0", "--time-limit", "1")
    text = on_a_terminal(*slow)
    shown = text.split("\r\x1b[K")
    updates = [piece for piece in shown if piece.startswith("iteration ")]
    assert 2 <= len(updates) <= 15, text  # ten a second; fewer on a loaded machine
    assert "\n" not in text and shown[-1] == "", "the line was not wiped"
    assert "\x1b" not in on_a_terminal(*slow, term="dumb")
    assert on_a_terminal(*slow, "--quiet") == ""


def conversions_leave_nothing():
    """Ended at any moment: the whole file or none, and none beside its name."""
    os.mkdir("c")
    subprocess.run([POLYAK, "convert", "big/A.npy", "whole.csv"], check=True)
    for k in range(12):
        process = subprocess.Popen([POLYAK, "convert", "big/A.npy", "c/A.csv"], preexec_fn=defaults,
                                   stdout=subprocess.DEVNULL)
        time.sleep(0.03 * k)
        process.send_signal((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[k % 3])
        process.wait(20)
        left = os.listdir("c")
        # A signal may come between the file's last byte and the end of the program.
        assert left == ["A.csv"] or left == [] and process.returncode, (left, process.returncode)
        for name in left:
            assert filecmp.cmp("whole.csv", f"c/{name}", shallow=False), process.returncode
            os.remove(f"c/{name}")


def main():
    subprocess.run([POLYAK, "generate", "gaussian", "--rows", "40000", "--cols", "50", "--output",
                    "big", "--quiet"], check=True)
    conversions_leave_nothing()
    subprocess.run([POLYAK, "generate", "gaussian", "--rows", "5000", "--cols", "50", "--noise", "1",
                    "--output", "p", "--quiet"], check=True)
    first_signal_writes_the_answer(signal.SIGINT)
    first_signal_writes_the_answer(signal.SIGTERM)
    a_pipe_without_reader_ends_the_run()
    second_signal_stops_at_once()
    ignored_stays_ignored()
    progress_rewrites_one_line()
    no_leftovers()


main()
