#!/usr/bin/env bash
# Installs what is missing, and says in one line what to do where it may not.
#
#   scripts/setup.sh run     the program: system libraries for a window, .venv, Mixbit
#   scripts/setup.sh test    the same plus the test tools
#
# Packages come from wherever pip and apt are set up to look. Everything of Python's goes into .venv in this folder.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-run}

# What the Qt wheels need on a bare Debian or Ubuntu: without a screen, and for a real window.
offscreen="libglib2.0-0 libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3"
window="libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
chinese="fonts-wqy-microhei"

python=""
for candidate in python3.13 python3.12 python3.11 python3; do
  if command -v "$candidate" >/dev/null 2>&1 &&
    "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "Mixbit needs Python 3.11, 3.12 or 3.13, and none was found on PATH." >&2
  exit 1
fi

missing=""
needs() { missing="$missing $1"; }
"$python" -c 'import ensurepip' 2>/dev/null || needs "$(basename "$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')")"
if command -v dpkg-query >/dev/null 2>&1; then
  packages="$offscreen $window"
  [ "$what" = test ] && packages="$packages $chinese"
  for package in $packages; do
    # Newer releases carry some libraries under a name that ends in t64.
    found=$(dpkg-query -W -f '${Status}\n' "$package" "${package}t64" 2>/dev/null || true)
    case "$found" in *"install ok installed"*) ;; *) needs "$package" ;; esac
  done
fi
if [ -n "$missing" ]; then
  root=""
  [ "$(id -u)" = 0 ] || root="sudo"
  if [ -z "$root" ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }; then
    echo "Installing system packages:$missing"
    $root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "System packages are missing. Run this once, then try again:" >&2
    echo "  sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
stamp=.venv/mixbit-$what
if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ requirements.lock -nt "$stamp" ]; then
  extra=""
  [ "$what" = test ] && extra="[dev]"
  echo "Installing Python packages into .venv"
  .venv/bin/python -m pip install -q --disable-pip-version-check -c requirements.lock -e ".$extra"
  # Else the first window would wait for it: compiling takes as long as the rest of a start.
  .venv/bin/python -m compileall -q -j 0 engine gui || true
  touch "$stamp"
fi
