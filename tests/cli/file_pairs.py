"""No command writes over what it reads, nor two outputs into one file: every pair of an input
and an output of every command, by the same name, by another name, by a link of either kind.
tests/cli/implicit_files.py does the same for files that no option names."""

import itertools
import os
import re
import subprocess

POLYAK = os.environ["POLYAK"]

# What a command takes as arguments, and which of its options name files that it writes. All
# other options whose value is a file are read; a new one that is in neither list fails below.
COMMANDS = {
    ("solve",): (["A.npy", "b.npy"], {"output", "report", "history", "output-statistics",
                                      "checkpoint", "model", "fitted", "residuals"}),
    ("predict",): (["m.json", "A.npy"], {"output"}),
    ("plan",): (["A.npy", "b.npy"], set()),
    ("theory",): ([], set()),
    ("bench",): (["solve"], {"json"}),
    ("tomography", "reconstruct"): (["s.npy"], {"output", "residual", "images", "report",
                                                "history", "page", "checkpoint"}),
    ("tomography", "project"): (["i.npy"], {"output", "save-image"}),
    ("tomography", "matrix"): ([], {"output", "report"}),
}
READ = {"weights", "x0", "reference", "lower", "upper", "resume", "config", "matrix", "flat",
        "dark", "mask", "angles", "data", "peers"}
# What --help calls a file, and what may be a file beside other things.
VALUE = re.compile(r"^  --([a-z0-9-]+) ((?:FILE|NAME|DIR)\S*|W|A|NUMBER\|FILE|LOW|B|V)(?: |$)")


def run(*words):
    return subprocess.run([POLYAK, *words], capture_output=True, text=True, timeout=120)


def files_of(command):
    """(read, written) options of a command, from its help."""
    lines = run(*command, "--help").stdout.splitlines()
    named = {m.group(1) for m in map(VALUE.match, lines) if m}
    written = COMMANDS[command][1]
    found = {name for name in named if name in written}
    assert found == written, (command, "not in --help:", written - found)
    unknown = named - written - READ - {"out", "peers", "data"}
    files = {name for name in unknown if f"--{name} FILE" in "\n".join(lines)}
    assert not files, (command, "neither read nor written:", files)
    return sorted(named & READ), sorted(written)


def ending(option):
    return {"report": ".json", "json": ".json", "history": ".csv", "output-statistics": ".csv",
            "page": ".html", "model": ".json"}.get(option, ".npy")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def refused(command, words, path, phrase):
    before = content(path) if os.path.exists(path) else None
    done = run(*command, *words)
    text = done.stderr.strip()
    assert done.returncode == 2, (command, words, done.returncode, text)
    assert phrase in text and len(text.splitlines()) == 1, (command, words, text)
    after = content(path) if os.path.exists(path) else None
    assert after == before, (command, words, "was touched")


def names_of(path):
    """The same file by other names."""
    yield path
    yield os.path.join(".", path)
    for kind, make in (("soft", os.symlink), ("hard", os.link)):
        name = f"{kind}-{path}"
        if not os.path.lexists(name):
            make(path, name)
        yield name


def walk(command):
    arguments, _ = COMMANDS[command]
    read, written = files_of(command)
    count = 0
    for option in written:
        end = ending(option)
        inputs = [("", name) for name in arguments if name.endswith(".npy")]
        inputs += [(name, f"in-{name}{end}") for name in read]
        for name, path in inputs:
            if name == "resume" and option == "checkpoint":
                continue  # a run goes on where it was saved
            if name:
                with open(path, "w") as file:
                    file.write("1\n")
            extra = [f"--{name}={path}"] if name and name != "config" else []
            if name == "config":
                with open(path, "w") as file:
                    file.write("")
                extra = [f"--config={path}"]
            for other in names_of(path):
                refused(command, [*arguments, *extra, f"--{option}={other}"], path,
                        "the output would replace the input")
                count += 1
    for one, two in itertools.combinations(written, 2):
        refused(command, [*arguments, f"--{one}=same{ending(one)}", f"--{two}=./same{ending(one)}"],
                f"same{ending(one)}", "two outputs go to the same place")
        count += 1
    return count


def convert():
    for other in names_of("A.npy"):
        refused(("convert",), ["A.npy", other], "A.npy", "the output would replace the input")
    # Of a file with several arrays the file counts.
    os.link("A.npy", "scan.h5")
    refused(("solve",), ["scan.h5:/A", "b.npy", "--output", "scan.h5"], "scan.h5",
            "the output would replace the input")


def main():
    run("generate", "gaussian", "--rows", "30", "--cols", "3", "--output", "p", "--quiet")
    for name in ("A", "b"):
        os.rename(f"p/{name}.npy", f"{name}.npy")
    assert run("solve", "A.npy", "b.npy", "--model", "m.json").returncode == 0
    os.link("A.npy", "s.npy")
    os.link("b.npy", "i.npy")
    there = [c for c in COMMANDS if "Not in this build" not in run(*c, "--help").stdout]
    counts = {" ".join(command): walk(command) for command in there}
    assert counts["solve"] > 100 and counts["tomography reconstruct"] > 100, counts
    convert()
    print(counts)


main()
