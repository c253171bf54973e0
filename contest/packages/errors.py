"""The one way in which a package is refused."""


class PackageError(Exception):
    """A package cannot be imported; the text is one sentence that says what was found and what to do.

    It is shown to the person who uploads, so it names files of the package and never of this machine.
    """
