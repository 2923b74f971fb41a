"""Inputs that are no plain files, claim too much, or change while they are read."""

import os
import resource
import shutil
import struct
import subprocess
import threading
import time
import zipfile
import zlib

POLYAK = os.environ["POLYAK"]
SANITIZED = "fsanitize" in os.environ.get("POLYAK_FLAGS", "")


def polyak(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, text=True, timeout=120, **options)


def a_pipe_is_read_once(name):
    """Whatever looks at the sizes of A must not open it a second time."""
    os.mkfifo("pipe.npy")
    feeder = threading.Thread(target=lambda: open("pipe.npy", "wb").write(open(name, "rb").read()))
    feeder.start()
    done = polyak("solve", "pipe.npy", "p/b.npy", "--output", "from_pipe.npy", "--quiet")
    feeder.join()
    assert done.returncode == 0, done
    assert polyak("solve", name, "p/b.npy", "--output", "x.npy", "--quiet").returncode == 0
    assert open("from_pipe.npy", "rb").read() == open("x.npy", "rb").read()
    os.remove("pipe.npy")


def little_memory():
    """No sanitizer can live with it."""
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def refused(name, arguments, code, said, **options):
    began = time.monotonic()
    done = polyak(*arguments, **options)
    assert done.returncode == code, (name, done)
    assert said in done.stderr and done.stderr.count("\n") == 1, (name, done.stderr)
    assert time.monotonic() - began < 20, name


def claims_are_checked_first():
    head = "%%MatrixMarket matrix coordinate real general\n"
    for sizes in ("3 16777216", "16777216 3", "3 4611686018427387904", "9000000000 9000000000"):
        with open("claim.mtx", "w") as file:
            file.write(f"{head}{sizes} 1\n1 1 1\n")
        for command in (["solve", "claim.mtx", "p/b.npy"], ["info", "claim.mtx"],
                        ["plan", "claim.mtx", "p/b.npy"], ["convert", "claim.mtx", "o.npy"]):
            refused(sizes, command, 65, "states sizes that its length cannot hold",
                    preexec_fn=little_memory)
    for line in ("rows 1e9", "rows 1000000000"):
        rows = line.split()[1]
        began = time.monotonic()
        done = polyak("generate", "gaussian", "--rows", rows, "--cols", rows, "--output", "huge")
        assert done.returncode in (2, 71) and done.stderr.count("\n") == 1, done
        assert time.monotonic() - began < 20 and not os.path.exists("huge/A.npy")


def tiff_bomb(name, rows, cols):
    """8-bit zeros, a thousand times smaller when deflated, claimed a thousand times over."""
    data = zlib.compress(bytes(1 << 20), 9)
    tags = [(256, 4, cols), (257, 4, rows), (258, 3, 8), (259, 3, 8), (262, 3, 1), (273, 4, 8),
            (277, 3, 1), (278, 4, rows), (279, 4, len(data)), (339, 3, 1)]
    directory = struct.pack("<H", len(tags))
    for tag, kind, value in tags:
        directory += struct.pack("<HHII", tag, kind, 1, value)
    directory += struct.pack("<I", 0)
    with open(name, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + directory)


def a_tiff_bomb_is_refused():
    tiff_bomb("bomb.tif", 1 << 16, 1 << 16)
    for command in (["info", "bomb.tif"], ["convert", "bomb.tif", "o.npy"],
                    ["tomography", "reconstruct", "bomb.tif", "--output", "i.npy"]):
        done = polyak(*command, preexec_fn=little_memory)
        assert done.returncode in (65, 71), (command, done)
        assert done.stderr.count("\n") == 1, done.stderr


def an_input_that_changes_is_told():
    shutil.copy("p/A.npy", "changing.npy")
    process = subprocess.Popen([POLYAK, "solve", "changing.npy", "p/b.npy", "--method", "gd",
                                "--tol", "0", "--max-iterations", "1000000", "--time-limit", "2",
                                "--output", "never.npy"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    with open("changing.npy", "r+b") as file:
        file.seek(-8, 2)
        file.write(struct.pack("<d", 0.5))
    _, said = process.communicate(timeout=60)
    assert process.returncode == 74, (process.returncode, said)
    assert said.startswith("polyak: changing.npy: the input was written to while it was read"), said
    assert not os.path.exists("never.npy")


def the_program_itself_is_started_again():
    """And not what stands at its name by now."""
    if SANITIZED:
        return
    shutil.copy(POLYAK, "program")
    with open("program (deleted)", "w") as file:
        file.write("#!/bin/sh\necho another program\n")
    os.chmod("program (deleted)", 0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS")}
    # The shell replaces itself by the program once its file is gone from the folder.
    script = 'exec 9<program; rm program; exec /proc/self/fd/9 "$@"'
    done = subprocess.run(["bash", "-c", script, "polyak", "solve", "p/A.npy", "p/b.npy"],
                          capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0 and "another program" not in done.stdout, done


def few_threads():
    """Of a user who may start no more: root is not held to it."""
    def limits():
        os.setgid(65534)
        os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    if SANITIZED or os.getuid() != 0:
        return
    os.chmod(".", 0o755)
    try:
        done = polyak("info", os.path.abspath("p/A.npy"), preexec_fn=limits)
    except (PermissionError, subprocess.SubprocessError):  # the folders above are private
        return
    assert done.returncode in (0, 71), done


def images_never_replace_an_input():
    os.mkdir("i")
    shutil.copy("s.tif", "i/s-50.tif")
    before = open("i/s-50.tif", "rb").read()
    done = polyak("tomography", "reconstruct", "i/s-50.tif", "--size", "16", "--method", "sirt",
                  "--max-iterations", "60", "--images", "i/s.tif", "--image-every", "50",
                  "--output", "o.npy")
    assert done.returncode == 2, done
    assert "may be written to this file" in done.stderr, done.stderr
    assert open("i/s-50.tif", "rb").read() == before


def zeros_and_archives():
    with open("zero.csv", "w") as file:
        file.write("0,0,1\n0,0,2\n")
    done = polyak("solve", "zero.csv", "--rhs-column", "3")
    assert done.returncode == 0 and "A is zero" in done.stdout, done
    with open("a.npz", "wb") as file:
        file.write(b"PK\x03\x04../../etc/passwd")
    done = polyak("solve", "a.npz", "p/b.npy")
    assert done.returncode == 65 and "not a .npz file" in done.stderr, done
    with zipfile.ZipFile("a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write("p/A.npy", "A.npy")
        archive.write("p/b.npy", "b.npy")
        archive.write("p/A.npy", "../outside.npy")
    assert polyak("solve", "a.npz", "--output", "x.npy").returncode == 0
    assert polyak("solve", "a.npz:A", "a.npz:b", "--output", "y.npy").returncode == 0
    assert polyak("solve", "p/A.npy", "p/b.npy", "--output", "z.npy").returncode == 0
    assert open("x.npy", "rb").read() == open("y.npy", "rb").read() == open("z.npy", "rb").read()
    assert not os.path.exists("../outside.npy")


def empty_shapes_are_read():
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 0), }"
    header += b" " * (117 - len(header)) + b"\n"
    with open("empty.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    done = polyak("convert", "empty.npy", "empty.csv")
    assert done.returncode in (0, 65), done
    assert polyak("info", "empty.npy").returncode == 0


assert polyak("generate", "gaussian", "--rows", "2000", "--cols", "30", "--noise", "1", "--output",
              "p").returncode == 0
assert polyak("tomography", "project", "disc", "--size", "16", "--detectors", "24",
              "--output", "s.tif").returncode == 0
a_pipe_is_read_once("p/A.npy")
claims_are_checked_first()
a_tiff_bomb_is_refused()
an_input_that_changes_is_told()
the_program_itself_is_started_again()
few_threads()
images_never_replace_an_input()
zeros_and_archives()
empty_shapes_are_read()
