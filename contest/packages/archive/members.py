"""What an archive says that it holds, one member at a time, before anything of it is believed."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO


class Kind(enum.Enum):
    """What a member is."""

    FILE = "a file with contents"
    FOLDER = "a folder; it holds nothing itself"
    LINK = "a link to another member, as `target`"
    SPECIAL = "a device, a pipe, a socket: never accepted"


@dataclass(frozen=True, slots=True)
class Member:
    """One name in an archive as its packer wrote it, unchecked.

    `target` is what a link says: relative to the link's own folder, or for a tar's hard link (`from_root`)
    relative to the archive. `open` gives the contents of a file, once.
    """

    name: str
    kind: Kind
    open: Callable[[], IO[bytes]]
    target: str = ""
    from_root: bool = False
