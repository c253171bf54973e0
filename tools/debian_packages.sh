#!/bin/sh
# Makes sure that the programs Fathom needs are there. Usage: debian_packages.sh run|test
# As root it installs what is missing; otherwise it says in one line how to get it.
set -eu

missing=""
wished="" # what makes tests quicker, and is not in every archive
need() { # need PROGRAM PACKAGE…
    program=$1; shift
    PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null 2>&1 || missing="$missing $*"
}

case "${1:-}" in
run | test) ;;
*) echo "usage: $0 run|test" >&2; exit 2 ;;
esac

need bwrap bubblewrap
need gcc gcc libc6-dev
need g++ g++
need node nodejs
need npm npm
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
# Programs are judged with what is under /usr, whatever else is on the PATH.
judged_with() { [ -x "/usr/bin/$1" ] || missing="$missing $2"; } # judged_with PROGRAM PACKAGE
judged_with python3 python3-minimal
if [ "$1" = test ]; then
    judged_with javac default-jdk-headless
    judged_with go golang-go
    judged_with rustc rustc
    judged_with fpc fp-compiler
    need chromium chromium
    command -v chromium-headless-shell >/dev/null 2>&1 || wished="chromium-headless-shell"
    need redis-server redis-server
    # What the browser suite breaks the path with.
    need nginx nginx-light
    need ip iproute2
    need iptables iptables
    [ -n "$(find /usr/lib -name libfaketimeMT.so.1 2>/dev/null | head -n 1)" ] || missing="$missing faketime"
    [ -n "$(find /usr/lib/postgresql -name initdb 2>/dev/null | head -n 1)" ] || missing="$missing postgresql"
fi

[ -z "$missing$wished" ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
    [ -z "$missing" ] && exit 0
    echo "Missing programs; install them with: sudo apt-get install --no-install-recommends$missing $wished" >&2
    exit 1
fi
echo "Installing Debian packages:$missing $wished"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || [ -z "$missing" ]
# shellcheck disable=SC2086 — a list of package names
[ -z "$missing" ] || apt-get install -y -qq --no-install-recommends $missing >/dev/null
[ -z "$wished" ] || apt-get install -y -qq --no-install-recommends $wished >/dev/null ||
    echo "Without $wished browser tests use chromium itself and take longer."
