"""Runs that are stopped, killed or out of room, and go on to the same bits."""

import json
import os
import random
import signal
import subprocess
import time

POLYAK = os.environ["POLYAK"]
SLOW = "fsanitize" in os.environ.get("POLYAK_FLAGS", "")
# Long enough to be stopped in the middle, short enough to be run many times.
RUN = ["p/A.npy", "p/b.npy", "--method", "minibatch-hbm", "--batch", "64",
       "--tol", "0", "--max-iterations", "3000" if SLOW else "30000"]
SAVE = ["--checkpoint", "c.ckpt"]


def polyak(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, text=True, timeout=300, **options)


def defaults():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments):
    return subprocess.Popen([POLYAK, "solve", *RUN, "--output", "x.npy", *arguments], text=True,
                            preexec_fn=defaults, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)


def clean():
    for name in ("c.ckpt", "c.ckpt.previous", "x.npy"):
        if os.path.exists(name):
            os.remove(name)


def bits(name="x.npy"):
    with open(name, "rb") as file:
        return file.read()


def until_saved(process):
    while not os.path.exists("c.ckpt"):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)


def stopped_by(number, expected):
    clean()
    process = start(*SAVE, "--checkpoint-every", "200")
    until_saved(process)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 75, (process.returncode, said)
    assert os.path.exists("x.npy"), "the best x so far"
    assert bits() != expected
    done = polyak("solve", *RUN, *SAVE, "--resume", "auto", "--output", "x.npy")
    assert done.returncode == 3, done
    assert "resuming from c.ckpt" in done.stderr, done.stderr
    assert bits() == expected


def killed(times, expected):
    """kill -9 at any moment; each run goes on where the last was saved."""
    clean()
    for attempt in range(times):
        process = start(*SAVE, "--checkpoint-every", "100", "--resume", "auto")
        time.sleep(random.uniform(0.0, 0.25))
        process.kill()
        process.communicate()
    if not os.path.exists("c.ckpt"):  # all of them were killed before they had saved: one more
        process = start(*SAVE, "--checkpoint-every", "100")
        while not os.path.exists("c.ckpt"):
            time.sleep(0.01)
        process.kill()
        process.communicate()
    done = polyak("solve", *RUN, *SAVE, "--resume", "auto", "--output", "x.npy")
    assert done.returncode == 3, done
    assert "resuming from" in done.stderr, done
    assert bits() == expected
    assert not os.path.exists("c.ckpt.tmp"), "what a killed run left unfinished stays"


def usr1_saves_and_goes_on(expected):
    clean()
    process = start(*SAVE, "--checkpoint-every", "1h", "--log-format", "json")
    for line in process.stderr:
        if json.loads(line)["event"] == "measure":
            break
    process.send_signal(signal.SIGUSR1)
    events = [json.loads(line)["event"] for line in process.stderr]
    process.wait(120)
    assert process.returncode == 3, process.returncode
    assert events.count("checkpoint") == 2, events  # asked for, and at the limit
    assert bits() == expected


def a_limit_saves(expected):
    clean()
    shorter = [*RUN[:-1], "1234", *SAVE, "--output", "x.npy"]
    assert polyak("solve", *shorter).returncode == 3
    done = polyak("solve", *RUN, "--resume", "c.ckpt", "--output", "x.npy")
    assert done.returncode == 3 and bits() == expected, done


def damaged_files():
    clean()
    polyak("solve", *RUN[:-1], "1000", *SAVE)
    polyak("solve", *RUN[:-1], "2000", *SAVE, "--resume", "auto")
    whole = bits("c.ckpt")
    with open("c.ckpt", "wb") as file:
        file.write(whole[:-1])
    done = polyak("solve", *RUN, "--resume", "c.ckpt", "--output", "x.npy")
    assert done.returncode == 3, done
    assert "cut short" in done.stderr and "c.ckpt.previous instead" in done.stderr, done.stderr
    os.remove("c.ckpt.previous")
    done = polyak("solve", *RUN, "--resume", "c.ckpt", "--output", "y.npy")
    assert done.returncode == 65 and not os.path.exists("y.npy"), done
    assert len(done.stderr.splitlines()) == 1, done.stderr


def foreign_files():
    clean()
    polyak("solve", *RUN[:-1], "1000", *SAVE)
    for change, name in ((["--seed", "5"], "--seed"), (["--gamma", "0.5"], "--gamma"),
                         (["--ridge", "1"], "ridge")):
        done = polyak("solve", *RUN, "--resume", "c.ckpt", *change)
        assert done.returncode == 65 and f"{name} differs" in done.stderr, done
    other = ["q/A.npy", "q/b.npy", *RUN[2:]]
    done = polyak("solve", *other, "--resume", "c.ckpt")
    assert done.returncode == 65 and "A differs" in done.stderr, done


def wrong_words():
    clean()
    for words, code in ((["--resume", "auto"], 2), (["--resume", "nothing.ckpt"], 66),
                        ([*SAVE, "--checkpoint-every", "soon"], 2),
                        ([*SAVE, "--checkpoint-every", "0s"], 2), (["--checkpoint", "-"], 2),
                        (["--checkpoint", "nowhere/c"], 74), (["--checkpoint", "p/A.npy"], 2)):
        done = polyak("solve", *RUN, *words)
        assert done.returncode == code and len(done.stderr.splitlines()) == 1, (words, done)


def no_room(expected):
    """The run is not lost for want of room to save it, but it is not called fine either."""
    clean()
    done = polyak("solve", *RUN, "--checkpoint", "/dev/full", "--checkpoint-every", "500",
                  "--output", "x.npy")
    assert done.returncode == 74, done
    assert bits() == expected
    assert done.stderr.count("the checkpoint was not saved") == 1, done.stderr


def automatic():
    """A run of the method auto that is saved while cg is at work."""
    clean()
    words = ["solve", "s/A.npy", "s/b.npy", "--tol", "1e-15", "--max-passes", "400"]
    straight = polyak(*words, "--output", "x.npy")
    expected = bits()
    process = subprocess.Popen([POLYAK, *words, *SAVE, "--checkpoint-every", "1", "--output", "x.npy"],
                               preexec_fn=defaults, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not os.path.exists("c.ckpt") and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    done = polyak(*words, *SAVE, "--resume", "auto", "--output", "x.npy")
    assert done.returncode == straight.returncode, (done, straight)
    assert bits() == expected


def files_of_others():
    """A file that is no checkpoint stays, under each of the names that a checkpoint takes."""
    for name in ("c.ckpt", "c.ckpt.previous", "c.ckpt.tmp"):
        clean()
        for make in (lambda: open(name, "w").write("letters of mine"), lambda: os.mkfifo(name)):
            make()
            done = polyak("solve", *RUN, *SAVE, "--output", "x.npy")
            assert done.returncode == 2, (name, done)
            assert f"{name}: the file there is no checkpoint" in done.stderr, done.stderr
            if os.path.isfile(name):
                assert open(name).read() == "letters of mine"
            os.remove(name)
    clean()
    with open("mine.txt", "w") as file:
        file.write("letters of mine")
    os.symlink("mine.txt", "c.ckpt.tmp")  # never written through
    done = polyak("solve", *RUN, *SAVE, "--output", "x.npy")
    assert done.returncode == 2 and open("mine.txt").read() == "letters of mine", done
    os.remove("c.ckpt.tmp")
    open("c.ckpt", "w").close()  # an empty file is a place for one
    done = polyak("solve", *RUN, *SAVE, "--output", "x.npy")
    assert done.returncode == 3, done
    assert open("c.ckpt", "rb").read(8) == b"polyakCP"


def two_writers(expected):
    """Both save themselves in one file: each time it is whole, and of one of them."""
    clean()
    both = [start(*SAVE, "--checkpoint-every", "20") for _ in range(2)]
    for process in both:
        process.communicate()
    done = polyak("solve", *RUN, *SAVE, "--resume", "auto", "--output", "x.npy")
    assert done.returncode == 3, done
    assert bits() == expected


def main():
    random.seed(1964)
    for seed, name in ((1, "p"), (2, "q")):
        polyak("generate", "spectrum", "--rows", "2000", "--cols", "20", "--seed", str(seed),
               "--kappa", "1e6", "--output", name)
    polyak("generate", "spectrum", "--rows", "1500", "--cols", "1200", "--kappa", "1e4",
           "--decay", "algebraic", "--noise", "0.1", "--output", "s")
    done = polyak("solve", *RUN, "--output", "x.npy")
    assert done.returncode == 3, done
    expected = bits()
    stopped_by(signal.SIGTERM, expected)
    stopped_by(signal.SIGINT, expected)
    killed(4 if SLOW else 12, expected)
    usr1_saves_and_goes_on(expected)
    a_limit_saves(expected)
    damaged_files()
    foreign_files()
    wrong_words()
    no_room(expected)
    files_of_others()
    two_writers(expected)
    automatic()


main()
