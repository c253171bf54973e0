"""The ICPC/Kattis problem package format, in its legacy form and in the form of 2023-07.

The specification is the “Problem Package Format” of Kattis and the ICPC; `metadata.VERSIONS` says which
versions of it are understood. One module a part of the package; `reader.read_kattis` puts them together.
"""
