#!/bin/sh
# Runs shellcheck (the first argument) over every shell script of the repository:
# files named *.sh, and files whose first line calls a shell.
set -eu

shellcheck=$1
list=$(mktemp)
trap 'rm -f "$list"' EXIT

git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
    [ -f "$file" ] || continue
    case $file in
        *.sh) printf '%s\0' "$file" ;;
        *.py | *.md | *.json | *.yaml | *.txt) ;;
        *)
            if head -n 1 "$file" | LC_ALL=C grep -qE '^#!.*[/ ](ba|da)?sh( |$)'; then
                printf '%s\0' "$file"
            fi
            ;;
    esac
done >"$list"

xargs -0 "$shellcheck" <"$list"
