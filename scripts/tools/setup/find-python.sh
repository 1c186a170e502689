#!/bin/sh
# Prints the path of a Python that can make .venv: 3.11 or newer, with venv and ensurepip.
# PYTHON=... in the environment names one; otherwise the usual names are tried in turn.
# The answer is the interpreter itself, not a shim or the python of an active virtual environment.
set -u

probe='
import sys
print(sys.version.split()[0])
print(getattr(sys, "_base_executable", sys.executable))
if sys.version_info < (3, 11):
    sys.exit(11)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(12)
'

too_old=''
no_venv=''
for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
    answer=$("$candidate" -c "$probe" 2>/dev/null)
    status=$?
    version=$(printf '%s\n' "$answer" | sed -n 1p)
    case $status in
        0)
            printf '%s\n' "$answer" | sed -n 2p
            exit 0
            ;;
        11) too_old="$too_old $candidate ($version)" ;;
        12) no_venv=${no_venv:-$version} ;;
    esac
done

if [ -n "$no_venv" ]; then
    minor=$(printf '%s' "$no_venv" | cut -d. -f1,2)
    echo "error: Python $no_venv is here, but without its modules venv and ensurepip" >&2
    echo "hint: on Debian or Ubuntu run: apt install python$minor-venv" >&2
else
    echo "error: ultracluster needs Python 3.11 or newer; found:${too_old:- none}" >&2
    echo "hint: install one (Debian 12, Ubuntu 24.04: apt install python3 python3-venv;" \
        "macOS: brew install python@3.13), or name one: make PYTHON=/path/to/python3.13" >&2
fi
exit 2
