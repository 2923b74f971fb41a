"""No command writes over what it reads, nor two outputs into one file, where no option names the
file: those of a folder, files beside others, images on the way, standard streams, open
descriptors. And what lies under /dev/ is a device only if it is one."""

import os
import shutil
import subprocess

POLYAK = os.environ["POLYAK"]
INPUT, TWICE = "the output would replace the input", "two outputs go to the same place"


def run(*words, **streams):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **streams}
    return subprocess.run([POLYAK, *words], stderr=subprocess.PIPE, text=True, timeout=120,
                          **streams)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def state(folder="."):
    """Every file below a folder: its bytes, or what it links to."""
    out = {}
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            out[path] = os.readlink(path) if os.path.islink(path) else content(path)
    return out


def refused(phrase, *words, folder=".", **streams):
    before = state(folder)
    done = run(*words, **streams)
    text = done.stderr.strip()
    assert done.returncode == 2, (words, done.returncode, text)
    assert phrase in text and len(text.splitlines()) == 1, (words, text)
    after = state(folder)
    assert after == before, (words, [p for p in {*before, *after} if before.get(p) != after.get(p)])


def solves(*words, **streams):
    done = run(*words, **streams)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done


LINKS = (os.symlink, os.link)


def linked(make, source, name):
    if os.path.lexists(name):
        os.remove(name)
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    make(os.path.abspath(source) if make is os.symlink else source, name)
    return name


def write(path, text=""):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def generate():
    """DIR holds links from one output to another, or the file of --config."""
    words = ("generate", "gaussian", "--rows", "20", "--cols", "2", "--noise", "1", "--output", "g")
    names = ("A.npy", "b.npy", "x.npy", "x_ls.npy", "problem.json")
    solves(*words)
    for make in LINKS:
        for name in names:
            config = linked(make, write("c.toml"), f"g/{name}")
            refused(INPUT, *words, "--config", "c.toml")
            refused(INPUT, *words, "--config", config)
            os.remove(config)
            solves(*words)
        for one, two in zip(names, names[1:]):
            linked(make, f"g/{one}", f"g/{two}")
            refused(TWICE, *words)
            os.remove(f"g/{two}")
            solves(*words)
    # A link to a file that is only about to be made.
    os.remove("g/A.npy")
    linked(os.symlink, "g/A.npy", "g/b.npy")
    refused(TWICE, *words)
    shutil.rmtree("g")


def convert():
    """The second file, of b: an input, the first file, the file of --config."""
    write("o.svm", "1 1:2\n3 2:1\n")
    for make in LINKS:
        write("o.npy", "the file before")
        linked(make, "o.npy", "o_b.npy")
        refused(TWICE, "convert", "o.svm", "o.npy")
        linked(make, "o.svm", "o_b.npy")
        refused(INPUT, "convert", "o.svm", "o.npy")
        linked(make, write("c.toml"), "o_b.npy")
        refused(INPUT, "convert", "o.svm", "o.npy", "--config", "c.toml")
        refused(INPUT, "convert", "o.svm", "o.npy", "--config", "o_b.npy")
        os.remove("o_b.npy")
        os.remove("o.npy")
    linked(os.symlink, "o.npy", "o_b.npy")
    refused(TWICE, "convert", "o.svm", "o.npy")
    os.remove("o_b.npy")
    # A format with a place for b has no second file.
    os.rename("o.svm", "t_b.svm")
    solves("convert", "t_b.svm", "t.csv")


def checkpoints():
    """NAME.previous and NAME.tmp are outputs as well."""
    words = ("solve", "A.npy", "b.npy", "--method", "gd", "--max-iterations=3", "--tol", "0")
    save = ("--checkpoint", "k", "--checkpoint-every", "1")
    for more in ("k.previous", "k.tmp"):
        for option in ("output", "report", "history", "output-statistics"):
            ending = ".npy" if option == "output" else ".csv"
            name = linked(os.symlink, more, "e" + ending)
            refused(TWICE, *words, *save, f"--{option}={name}")
        for option in ("weights", "x0", "reference", "config"):
            for make in LINKS:
                write(more)
                refused(INPUT, *words, *save, f"--{option}={linked(make, more, 'e.csv')}")
                os.remove("e.csv")
            os.remove(more)
    linked(os.symlink, "b.npy", "k.previous")
    refused(INPUT, *words, *save)
    os.remove("k.previous")
    # A run goes on from the checkpoint before the last one.
    assert run(*words, *save).returncode == 3
    assert run(*words, *save, "--resume", "k.previous").returncode == 3
    for name in ("k", "k.previous", "e.npy"):
        os.remove(name)


def images():
    """--images NAME writes NAME-5 and so on: plain names, links, other outputs."""
    words = ("tomography", "reconstruct", "s.npy", "--size", "12", "--method", "sirt",
             "--max-iterations", "10", "--images", "u.npy", "--image-every", "5")
    solves("tomography", "project", "disc", "--size", "12", "--detectors", "16", "--output", "s.npy")
    for make in LINKS:
        for name in ("u-5.npy", "u-10.npy", "u-5-slice2.npy"):
            linked(make, "s.npy", name)
            refused(INPUT, *words)
            os.remove(name)
        linked(make, write("h.csv"), "u-5.npy")
        refused(TWICE, *words, "--history", "h.csv")
        os.remove("u-5.npy")
    os.rename("s.npy", "u-5.npy")
    for name in ("u-5.npy", "./u-5.npy", os.path.abspath("u-5.npy")):
        refused("one of the images may be written to this file", *words[:2], name, *words[3:])
    os.rename("u-5.npy", "s.npy")
    for name in ("u-10.npy", "u-5-slice0.npy"):
        refused("one of the images may be written to this file", *words, "--output", name)
    linked(os.symlink, "u-10.npy", "later.npy")
    refused("one of the images may be written to this file", *words, "--output", "later.npy")
    write("u-mask.npy", "not an image on the way")
    assert run(*words, "--output", "u-mask.npy").returncode in (0, 3)
    for name in ("u-5.npy", "u-10.npy", "later.npy", "u-mask.npy", "s.npy", "h.csv"):
        os.remove(name)


SPEC = """name = "mine"
kind = "curves"
trials = 1
[[panel]]
title = "one"
iterations = 4
problem = { matrix = "MATRIX", rhs = "RHS" }
[[series]]
label = "gd"
method = "gd"
"""


def reproduce():
    """The folder may hold spec, data and config, or links to them."""
    def spec(path, matrix="A.csv", rhs="b.csv"):
        text = SPEC.replace("MATRIX", os.path.abspath(matrix))
        return write(path, text.replace("RHS", os.path.abspath(rhs)))

    os.makedirs("f", exist_ok=True)
    solves("convert", "A.npy", "A.csv")
    solves("convert", "b.npy", "b.csv")
    words = ("reproduce", spec("mine.toml"), "--out", "f")
    solves(*words)
    shutil.copy("A.csv", "f/mine.csv")
    for matrix, rhs in (("f/mine.csv", "b.csv"), ("A.csv", "f/mine.csv")):
        refused(INPUT, "reproduce", spec("other.toml", matrix, rhs), "--out", "f")
    for name in ("claims.json", "index.html", "mine.csv", "mine.svg", "mine.png"):
        refused(INPUT, "reproduce", spec(f"f/{name}"), "--out", "f")
        for make in LINKS:
            for source in ("A.csv", "b.csv", "mine.toml"):
                linked(make, source, f"f/{name}")
                refused(INPUT, *words)
            linked(make, write("c.toml"), f"f/{name}")
            refused(INPUT, *words, "--config", "c.toml")
            other = "index.html" if name != "index.html" else "claims.json"
            write(f"f/{other}", "x")
            linked(make, f"f/{other}", f"f/{name}")
            refused(TWICE, *words)
        os.remove(f"f/{name}")
    solves(*words)
    for name in os.listdir("f/.runs"):  # the results that are kept
        linked(os.symlink, "A.csv", f"f/.runs/{name}")
    before = content("A.csv")
    assert run(*words, "--force").returncode == 2 and content("A.csv") == before
    shutil.rmtree("f")


def bench_data():
    if "Not in this build" in run("bench", "--help").stdout:
        return
    os.makedirs("d", exist_ok=True)
    solves("convert", "A.npy", "d/m.mtx")
    solves("convert", "b.npy", "d/m_rhs1.mtx")
    words = ("bench", "solve", "--data", "d", "--cases", "m", "--quick", "--json")
    for name in ("m.mtx", "m_rhs1.mtx"):
        refused(INPUT, *words, f"d/{name}")
        for make in LINKS:
            refused(INPUT, *words, linked(make, f"d/{name}", "d/r.json"))
            os.remove("d/r.json")


def streams():
    """Standard input and output are files too, if the shell has opened files for them."""
    def opened(path, flags):
        return os.fdopen(os.open(path, flags), "r+" if flags & os.O_RDWR else "w")

    shutil.copy("A.csv", "si.csv")
    shutil.copy("b.csv", "bi.csv")
    with open("si.csv") as source:
        refused(INPUT, "solve", "-", "bi.csv", "--output", "si.csv", stdin=source)
        refused(INPUT, "convert", "-", "/dev/stdin", stdin=source)
        refused(INPUT, "convert", "/dev/stdin", "si.csv", stdin=source)
    for flags in (os.O_WRONLY | os.O_APPEND, os.O_RDWR):
        with opened("si.csv", flags) as out:
            refused(INPUT, "convert", "si.csv", "-", stdout=out)
            refused(INPUT, "convert", "si.csv", "/dev/stdout", stdout=out)
            refused(INPUT, "solve", "si.csv", "bi.csv", "--output", "-", stdout=out)
            refused(INPUT, "solve", "si.csv", "bi.csv", "--report", "/dev/fd/1", stdout=out)
            refused(INPUT, "info", "si.csv", stdout=out)
            refused(INPUT, "solve", "si.csv", "bi.csv", stdout=out)
            with open("si.csv") as source:
                refused(INPUT, "convert", "-", "-", stdin=source, stdout=out)
    for two in (("--output=-", "--history=/dev/stdout"), ("--output=-", "--report=-"),
                ("--output=/dev/stdout", "--report=/dev/stdout"),
                ("--report=/proc/self/fd/1", "--history=/dev/fd/1")):
        refused(TWICE, "solve", "si.csv", "bi.csv", *two)
        with open("out", "w") as out:
            refused(TWICE, "solve", "si.csv", "bi.csv", *two, stdout=out)
            refused(TWICE, "solve", "si.csv", "bi.csv", two[0], "--output-statistics=out", stdout=out)
    # Devices are several places, and a pipe is read and written.
    solves("solve", "si.csv", "bi.csv", "--report=/dev/null", "--history=/dev/null")
    assert "," in solves("convert", "-", "-", stdin=open("si.csv")).stdout


def descriptors():
    """/dev/fd/N is the file that it is open on: compared as such, and written from there."""
    with open("si.csv", "r+") as out:
        name = f"/dev/fd/{out.fileno()}"
        refused(INPUT, "convert", "si.csv", name, pass_fds=[out.fileno()])
        refused(INPUT, "solve", "si.csv", "bi.csv", f"--report=/proc/self/fd/{out.fileno()}",
                pass_fds=[out.fileno()])
    write("log.csv", "line before\n")
    with open("log.csv", "a") as out:
        solves("convert", "bi.csv", f"/dev/fd/{out.fileno()}", pass_fds=[out.fileno()])
    assert content("log.csv") == b"line before\n" + content("bi.csv"), content("log.csv")
    with open("si.csv") as source:  # open for reading only, and not open at all
        for name in (f"/dev/fd/{source.fileno()}", "/dev/fd/77"):
            before = content("si.csv")
            done = run("convert", "bi.csv", name, pass_fds=[source.fileno()])
            assert done.returncode == 74 and "descriptor" in done.stderr, done.stderr
            assert content("si.csv") == before
    done = run("solve", "si.csv", "bi.csv", "--checkpoint", "/dev/stdout")
    assert done.returncode == 2 and "a file of its own" in done.stderr, done.stderr


def shared_memory():
    """A file under /dev/ that is no device is a file like any other."""
    if not os.access("/dev/shm", os.W_OK):
        print("left out: there is no /dev/shm")
        return
    folder = f"/dev/shm/polyak-test-{os.getpid()}"
    os.mkdir(folder)
    try:
        files_in(folder)
    finally:
        shutil.rmtree(folder)


def files_in(folder):
    for name in ("A.npy", "b.npy"):
        shutil.copy(name, folder)
    A, b = f"{folder}/A.npy", f"{folder}/b.npy"
    for words in (("convert", A, A), ("solve", A, b, "--output", b),
                  ("solve", A, b, "--report", A, "--output", f"{folder}/x.npy"),
                  ("solve", A, b, "--output", linked(os.symlink, b, "outside.npy"))):
        refused(INPUT, *words, folder=folder)
    refused(TWICE, "solve", A, b, f"--report={folder}/r", f"--history={folder}/./r", folder=folder)
    solves("solve", A, b, "--output", f"{folder}/x.npy", "--report", f"{folder}/r.json",
           "--checkpoint", f"{folder}/k")
    assert content(f"{folder}/x.npy").startswith(b"\x93NUMPY"), "not in the format of its ending"
    node = os.stat(f"{folder}/x.npy").st_ino
    solves("solve", A, b, "--output", f"{folder}/x.npy")
    assert os.stat(f"{folder}/x.npy").st_ino != node, "written in place"
    write(f"{folder}/foreign", "no checkpoint")
    done = run("solve", A, b, "--checkpoint", f"{folder}/foreign")
    assert done.returncode == 2 and "is no checkpoint" in done.stderr, done.stderr
    assert sorted(os.listdir(folder))[:2] == ["A.npy", "b.npy"]


def main():
    solves("generate", "gaussian", "--rows", "30", "--cols", "3", "--output", "p", "--quiet")
    for name in ("A", "b"):
        os.rename(f"p/{name}.npy", f"{name}.npy")
    shutil.rmtree("p")
    generate()
    convert()
    checkpoints()
    images()
    reproduce()
    bench_data()
    streams()
    descriptors()
    shared_memory()


main()
