"""From members, which say anything, to a `Tree`, in which every path is one plain file of the package."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from contest.packages.archive.caps import Caps
from contest.packages.archive.members import Kind, Member
from contest.packages.archive.names import checked_path, link_destination, shown
from contest.packages.archive.spool import Spool, Stored
from contest.packages.archive.tree import Tree, base_name, join, parent_of
from contest.packages.errors import PackageError

_MOST_HOPS = 40


def plant(members: Iterable[Member], spool: Spool) -> Tree:
    """Stores every member under the caps, then resolves the links. Refused whole or planted whole."""
    bed = _Bed(spool)
    for count, member in enumerate(members, start=1):
        if count > spool.caps.files:
            raise PackageError(f"The package holds more than {spool.caps.files} names; remove some.")
        bed.add(member)
    return Tree.of(_Walk(bed, spool.caps).files())


@dataclass(slots=True)
class _Bed:
    """Members as named, with links still unresolved."""

    spool: Spool
    files: dict[str, Stored] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    # The names in each folder; a key is what makes a path a folder.
    folders: dict[str, set[str]] = field(default_factory=lambda: {"": set()})

    def add(self, member: Member) -> None:
        path = checked_path(member.name, self.spool.caps)
        if member.kind is Kind.SPECIAL:
            raise PackageError(f"{shown(member.name)} is a device, a pipe or a socket; remove it.")
        if member.kind is Kind.FOLDER:
            self._make_folder(path)
            return
        self._claim(path)
        if member.kind is Kind.LINK:
            self.links[path] = self._destination(path, member)
        else:
            self.files[path] = self.spool.store(path, member.open)

    def _claim(self, path: str) -> None:
        """Makes `path` known. Twice the same path, or a file that is also a folder, has two meanings."""
        if not path or path in self.files or path in self.links or path in self.folders:
            raise PackageError(f"The name {shown(path)} stands twice in the archive; pack it anew.")
        self._make_folder(parent_of(path))
        self.folders[parent_of(path)].add(base_name(path))

    def _make_folder(self, path: str) -> None:
        # Not through a link: a link named like a folder, then a file "in" it, is how archives write
        # elsewhere. Nothing is written by name here, but what such a package means is anyone's guess.
        if path in self.files or path in self.links:
            raise PackageError(f"{shown(path)} is a folder and something else at once; pack it anew.")
        if path in self.folders:
            return
        self._make_folder(parent_of(path))
        self.folders[path] = set()
        self.folders[parent_of(path)].add(base_name(path))

    def _destination(self, path: str, member: Member) -> str:
        if len(member.target.encode(errors="replace")) > self.spool.caps.link_bytes:
            raise PackageError(f"The link {shown(path)} is too long; shorten it.")
        if member.from_root:
            return checked_path(member.target, self.spool.caps)
        return link_destination(path, member.target)


@dataclass(slots=True)
class _Walk:
    """Goes through the bed from its root as a reader who follows links would."""

    bed: _Bed
    caps: Caps
    _found: dict[str, Stored] = field(default_factory=dict)
    _names: int = 0
    _bytes: int = 0

    def files(self) -> dict[str, Stored]:
        """Every file under every name by which it can be reached.

        Links to folders may multiply names without end (a link to its own folder, folders of links to
        folders of links). Every name counts, so that ends at a cap.
        """
        waiting = [("", "")]
        while waiting:
            named, real = waiting.pop()
            for name in sorted(self.bed.folders[real]):
                path, place = join(named, name), self._real(join(real, name))
                if place in self.bed.files:
                    self._find(path, self.bed.files[place])
                elif place in self.bed.folders:
                    self._count(path)
                    waiting.append((path, place))
                else:
                    raise PackageError(f"The link {shown(path)} leads to nothing; add what it names.")
        return self._found

    def _real(self, path: str) -> str:
        """`path` with every link in it followed."""
        for _ in range(_MOST_HOPS):
            link = self._first_link(path)
            if link is None:
                return path
            rest = path[len(link) + 1 :]
            path = join(self.bed.links[link], rest) if rest else self.bed.links[link]
        raise PackageError(f"The link {shown(path)} goes round in a circle; remove it.")

    def _first_link(self, path: str) -> str | None:
        parts = path.split("/")
        prefixes = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        return next((prefix for prefix in prefixes if prefix in self.bed.links), None)

    def _find(self, path: str, stored: Stored) -> None:
        self._count(path)
        self._bytes += stored.size
        if self._bytes > self.caps.total_bytes:
            raise PackageError("With what its links lead to, the package is too large; remove links.")
        self._found[path] = stored

    def _count(self, path: str) -> None:
        self._names += 1
        if self._names > self.caps.files or len(path.encode()) > self.caps.path_bytes:
            raise PackageError("The links of the package multiply its names without end; remove them.")
