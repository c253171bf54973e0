"""Two machines of their own on one: network namespaces joined by a cable, which iptables can cut."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SITE_ADDRESS = "10.77.77.1"
BROWSER_ADDRESS = "10.77.77.2"
PATH = "/usr/sbin:/sbin:/usr/bin:/bin"


class NoNamespaces(Exception):
    """One line for whoever runs the tests where they cannot run."""


@dataclass(frozen=True)
class Namespace:
    """Lives as long as the process that holds it; nothing of it stays behind."""

    holder: int

    @property
    def prefix(self) -> list[str]:
        """Before a command: it runs in this namespace."""
        return ["nsenter", f"--net=/proc/{self.holder}/ns/net"]

    def run(self, *command: str) -> str:
        done = subprocess.run([*self.prefix, *command], check=True, capture_output=True, text=True, env=_with_path())
        return done.stdout


@dataclass(frozen=True)
class Cable:
    """Between the site's namespace and the browser's."""

    site: Namespace
    browser: Namespace

    def cut(self) -> None:
        """Every packet is lost in both directions, and nobody is told."""
        for chain in ("INPUT", "OUTPUT"):
            self.browser.run("iptables", "-A", chain, "-j", "DROP")

    def mend(self) -> None:
        self.browser.run("iptables", "-F")

    def lost_packets(self) -> int:
        rules = self.browser.run("iptables", "-L", "-v", "-x", "-n")
        return sum(int(line.split()[0]) for line in rules.splitlines() if " DROP " in line and "policy" not in line)

    def program(self, file: Path, command: str) -> str:
        """A script that starts `command` in the browser's namespace, for those who take only a path."""
        file.write_text(f'#!/bin/sh\nexec {" ".join(self.browser.prefix)} {command} "$@"\n')
        file.chmod(0o700)
        return str(file)


@contextmanager
def cable() -> Iterator[Cable]:
    """Raises NoNamespaces where this user may not make them."""
    _check()
    with _namespace() as site, _namespace() as browser:
        name = f"fathom{os.getpid() % 100_000}"
        _ip("link", "add", name, "netns", str(site.holder), "type", "veth", "peer", name, "netns", str(browser.holder))
        for namespace, address in ((site, SITE_ADDRESS), (browser, BROWSER_ADDRESS)):
            # An IPv6 address becomes usable a second or two after the cable is there. Chromium takes that for a change
            # of network and ends what it is loading (ERR_NETWORK_CHANGED): a page then had no scripts.
            namespace.run("ip", "link", "set", name, "addrgenmode", "none")
            namespace.run("ip", "address", "add", f"{address}/30", "dev", name)
            namespace.run("ip", "link", "set", name, "up")
            namespace.run("ip", "link", "set", "lo", "up")
        yield Cable(site, browser)


@contextmanager
def _namespace() -> Iterator[Namespace]:
    holder = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", "echo ready; read -r _"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"ready\n"
        yield Namespace(holder.pid)
    finally:
        holder.communicate()


def _check() -> None:
    for program, package in (("ip", "iproute2"), ("iptables", "iptables"), ("nsenter", "util-linux")):
        if shutil.which(program, path=PATH) is None:
            raise NoNamespaces(f"{program} is missing; install it with: apt-get install {package}")
    allowed = subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True).returncode == 0
    if not allowed:
        raise NoNamespaces("network namespaces need CAP_SYS_ADMIN and CAP_NET_ADMIN: run the browser suite as root")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, env=_with_path())


def _with_path() -> dict[str, str]:
    return {**os.environ, "PATH": f"{PATH}:{os.environ.get('PATH', '')}"}
