#!/usr/bin/env bash
# manual.sh PROGRAM: prints the manual page, generated from the help texts of the
# program, so that it is always up to date.
set -euo pipefail
program=$1

# Unformatted text for troff: backslashes doubled, leading dots and
# quotes escaped.
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
