#!/usr/bin/env bash
# page_check.sh PAGE FOLDER: opens PAGE in headless Chromium at the width of a
# phone and of a desktop screen, writes a picture of each to FOLDER, and fails if the
# page writes to the console or makes a network request.
set -euo pipefail
page=$(realpath "$1")
mkdir -p "$2"
cd "$2"

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
# All host names fail to resolve; requests of Chromium itself are filtered out below. No
# sandbox: it is not available to root, and the page is our own.
flags=(--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run
  --user-data-dir="$profile" --disable-background-networking --disable-component-update
  --disable-sync --disable-default-apps --disable-extensions --disable-domain-reliability
  --disable-features=OptimizationHints,MediaRouter,DialMediaRouteProvider
  --enable-logging=stderr --host-resolver-rules='MAP * ~NOTFOUND')

for shape in phone:390,2600 desktop:1280,2600; do
  name=${shape%%:*}
  timeout 120 chromium "${flags[@]}" --log-net-log="$PWD/$name.netlog" \
    --window-size="${shape#*:}" --screenshot="$PWD/$name.png" "file://$page" 2>"$name.log" ||
    { cat "$name.log" >&2; exit 1; }
done

python3 - phone desktop <<'END'
import json, re, sys

bad = []
for name in sys.argv[1:]:
    bad += [line.strip() for line in open(f"{name}.log", errors="replace") if "CONSOLE" in line]
    text = open(f"{name}.netlog", errors="replace").read()
    try:
        log = json.loads(text)
    except ValueError:  # truncated
        log = json.loads(text.rstrip().rstrip(",") + "]}")
    for event in log["events"]:
        params = event.get("params", {})
        url = str(params.get("url", ""))
        own = params.get("initiator", "not an origin") == "not an origin"  # Chromium's
        if re.match(r"(https?|wss?|ftp):", url) and not own:
            bad.append(f"{name}: requests {url}")
for line in sorted(set(bad)):
    print(f"page-check: {line}", file=sys.stderr)
sys.exit(1 if bad else 0)
END
echo "page-check: no console message and no request; see $PWD/phone.png and $PWD/desktop.png"
