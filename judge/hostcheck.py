"""Can this host jail? Found out by doing it, and said in words with the remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from judge.languages import installed_languages, language_version
from judge.sandbox import Jail, Limits, RunRequest, SandboxUnavailable, Status
from judge.sandbox.setup import BWRAP, jail_home

_KNOBS = (
    # (file, value that forbids it, what it means, remedy)
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "User namespaces are switched off for ordinary users.",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "This host allows no user namespaces.",
        "sysctl -w user.max_user_namespaces=10000",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps unconfined programs from using user namespaces.",
        "allow bwrap by an AppArmor profile, or: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
_CONTAINER_REMEDY = (
    "in a container, allow user namespaces, for example with "
    "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about this host. `blocks`: nothing can be judged here until it is remedied."""

    sentence: str
    remedy: str = ""
    blocks: bool = False


def _tool_findings() -> list[Finding]:
    if not Path(BWRAP).exists():
        return [Finding("bubblewrap is not installed.", "apt-get install bubblewrap", blocks=True)]
    done = subprocess.run([BWRAP, "--help"], capture_output=True, text=True, check=False)
    if "--disable-userns" not in done.stdout + done.stderr:
        return [Finding("bubblewrap is older than 0.8.", "install bubblewrap 0.8 or newer", blocks=True)]
    if shutil.which("gcc") is None and shutil.which("cc") is None:
        return [Finding("No C compiler was found.", "apt-get install gcc libc6-dev", blocks=True)]
    return []


def _knob_findings() -> list[Finding]:
    findings = []
    for name, forbidding, meaning, remedy in _KNOBS:
        path = Path(name)
        if path.exists() and path.read_text().strip() == forbidding:
            findings.append(Finding(meaning, remedy))
    return findings


def _facts(jail: Jail) -> list[Finding]:
    groups, identity = jail.groups, jail.identity
    facts = [
        Finding(f"Memory and processes are counted by control groups (version {groups.version}).")
        if groups.available
        else Finding(
            "No control group can be made here: memory is bounded by watching and by resource limits.",
            "run the judge as a service with Delegate=yes (and DelegateSubgroup= where systemd has it)",
        ),
        Finding("Each slot runs programs under a user id of its own.")
        if identity.is_separate
        else Finding(
            f"Programs run under the judge's own user id ({os.geteuid()}): only root can give each slot one of its own."
        ),
    ]
    offered = [f"{language.name} {language_version(language)}".strip() for language in installed_languages()]
    facts.append(Finding(f"Languages: {', '.join(offered)}." if offered else "No language is installed."))
    return facts


def _trial(helper_cache: Path) -> list[Finding]:
    with jail_home(helper_cache) as home, Jail(home) as jail:
        limits = Limits(cpu_ms=2000, memory_kb=256 * 1024)
        result = jail.run(RunRequest(("/usr/bin/cat",), limits, stdin=b"sounding\n"))
        if result.status is Status.FAULT:
            causes = _knob_findings()
            remedy = "; ".join(cause.remedy for cause in causes) or _CONTAINER_REMEDY
            sentence = " ".join([result.why, *(cause.sentence for cause in causes)])
            return [Finding(sentence, remedy, blocks=True)]
        if not result.succeeded or result.stdout != b"sounding\n":
            return [Finding(f"A trial program did not run as it should: {result.status}.", blocks=True)]
        return [Finding("A trial program ran in the jail."), *_facts(jail)]


def _exposure(private: Path) -> list[Finding]:
    """Programs see /usr as whoever runs them. A user id of their own cannot enter a private folder; the judge's can."""
    if os.geteuid() == 0 or not private.resolve().is_relative_to("/usr"):
        return []
    sentence = (
        f"Programs would run under the judge's own user id, and they see /usr, where the data folder {private} is."
    )
    return [Finding(sentence, "set FATHOM_DATA_DIR to a folder outside /usr", blocks=True)]


def check_host(helper_cache: Path, private: Path) -> list[Finding]:
    """What is to be said about this host; one that blocks means that it cannot judge.

    `private` is the folder with the site's secrets and, perhaps, its database.
    """
    findings = _tool_findings() or _exposure(private)
    if findings:
        return findings
    try:
        return _trial(helper_cache)
    except SandboxUnavailable as unavailable:
        return [Finding(str(unavailable), blocks=True)]
