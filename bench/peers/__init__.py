"""Servers to compare with. Each broadcasts when told to on any of its sockets; see `bench.peers.broadcast`."""
