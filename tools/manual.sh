#!/usr/bin/env bash
# manual.sh PROGRAM: prints the manual page, made of what the program says of
# itself, so that it cannot fall behind.
set -euo pipefail
program=$1

# Text as it is, safe from the formatter: backslashes doubled, leading dots and
# quotes guarded.
verbatim() { printf '.nf\n'; sed -e 's/\\/\\\\/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'; printf '.fi\n'; }

version=$("$program" --version | cut -d' ' -f2)
printf '.TH POLYAK 1 "" "polyak %s" "User Commands"\n' "$version"
printf '.SH NAME\npolyak \\- least squares by row sampling\n'
printf '.SH DESCRIPTION\n'
"$program" --help | verbatim
"$program" --help | sed -n '/^Commands:/,/^$/{s/^  \([a-z]*\) .*/\1/p}' | while read -r command; do
  printf '.SH POLYAK %s\n' "${command^^}"
  "$program" "$command" --help | verbatim
done
