"""One unprivileged user id per slot.

RLIMIT_NPROC counts the processes of a user id, and a user id is what separates two programs if
everything else fails: no two slots of a machine may share one, and none may be root or "nobody".
"""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass, field
from typing import Any

from judge.sandbox.setup import SandboxUnavailable

# systemd's table of user ids lists 60706 to 61183 as unused; we take a part of it.
FIRST_UID, LAST_UID = 60800, 60999


@dataclass
class SlotIdentity:
    """The user id of a slot, or None for both where the judge itself is not root.

    Without root a process can map only its own id: then programs run as the judge's user, separated from
    it by their namespaces alone, and NPROC counts per namespace (Linux 5.14 and newer).
    """

    uid: int | None
    _claim: socket.socket | None = field(default=None, repr=False)

    @property
    def is_separate(self) -> bool:
        return self.uid is not None

    def release(self) -> None:
        if self._claim is not None:
            self._claim.close()
            self._claim = None


def _claim(uid: int) -> socket.socket | None:
    """An abstract socket name is a lock that the kernel releases however its owner dies."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0fathom-judge-uid-{uid}")
    except OSError:
        claim.close()
        return None
    return claim


def _end_strays(uid: int) -> None:
    """Whoever held this id before may have died without ending what it started: as that user, kill them all."""
    as_user: dict[str, Any] = {"user": uid, "group": uid, "extra_groups": []}
    subprocess.run(["/bin/kill", "-KILL", "--", "-1"], stderr=subprocess.DEVNULL, check=False, env={}, **as_user)


def take_identity() -> SlotIdentity:
    """The first user id that no other slot on this machine holds."""
    if os.geteuid() != 0:
        return SlotIdentity(None)
    for uid in range(FIRST_UID, LAST_UID + 1):
        claim = _claim(uid)
        if claim is not None:
            _end_strays(uid)
            return SlotIdentity(uid, claim)
    raise SandboxUnavailable(f"All user ids for judge slots ({FIRST_UID} to {LAST_UID}) are in use.")
