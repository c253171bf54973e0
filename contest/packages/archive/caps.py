"""How much of a package is read before it is refused."""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Caps:
    """Upper bounds that hold while an archive is read, so that a bomb costs no more than its cap.

    `archive_bytes` bounds what is uploaded, `total_bytes` and `file_bytes` what comes out of it, `files` how
    many names there are (folders and links count too). `ratio` bounds total output to archive size, but only
    above `ratio_free_bytes`: honest test data of one repeated number compresses a thousandfold.
    """

    archive_bytes: int = 256 * MIB
    total_bytes: int = 512 * MIB
    file_bytes: int = 128 * MIB
    files: int = 20_000
    ratio: int = 100
    ratio_free_bytes: int = 32 * MIB
    name_bytes: int = 255
    path_bytes: int = 1000
    link_bytes: int = 1000
    # One record of a zip's central directory: 46 bytes, a name, and what packers add for times and owners.
    directory_bytes_per_file: int = 400
    # A single header of a tar: long names and PAX records are read in one piece.
    header_bytes: int = MIB


DEFAULT_CAPS = Caps()
