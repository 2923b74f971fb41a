"""again.py WORKTREE: hand.patch from the work tree, script again from the parent commit, patch again; times of unchanged files are kept."""
import hashlib, os, subprocess, sys
from pathlib import Path
w = Path(sys.argv[1]); here = Path(__file__).parent
def run(*c, **k): return subprocess.run(c, cwd=w, check=True, text=True, **k)
def listed(): return [n for n in run("git","ls-files",capture_output=True).stdout.split("\n") if n and (w/n).is_file()]
def state(): return {n: (hashlib.sha1((w/n).read_bytes()).hexdigest(), os.stat(w/n)) for n in listed()}
run("git","add","-A")
before = state()
(here/"hand.patch").write_text(run("git","diff","HEAD",capture_output=True).stdout)
run("git","reset","-q","--hard","HEAD~1")
subprocess.run([str(here/"redo.sh"), str(w)], check=True)
subprocess.run(["git","apply","-3",str(here/"hand.patch")], cwd=w, check=True)
kept = changed = 0
for n, (h, st) in state().items():
    if n in before and before[n][0] == h:
        os.utime(w/n, ns=(before[n][1].st_atime_ns, before[n][1].st_mtime_ns)); kept += 1
    else: changed += 1; print("changed", n)
print(kept, "kept", changed, "changed")
