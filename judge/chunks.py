"""A self-test's output on its way to a browser: bytes to text in bounded chunks. Pure."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field

_STREAMS = ("stdout", "stderr")


@dataclass(slots=True)
class _Stream:
    offset: int = 0
    decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))


def _split(text: str, limit_bytes: int) -> list[str]:
    """Pieces of at most `limit_bytes` in UTF-8, cut between code points."""
    pieces = []
    data = text.encode()
    while data:
        piece = data[:limit_bytes].decode("utf-8", "ignore")
        pieces.append(piece)
        data = data[len(piece.encode()) :]
    return pieces


@dataclass(slots=True)
class Chunker:
    """Takes bytes of both streams in, gives (stream, offset, text) out; `budget_bytes` for both together.

    Broken bytes become replacement characters, and so does NUL, which no text column holds. A code point
    that arrives in two parts is held back until it is whole.
    """

    chunk_bytes: int
    budget_bytes: int
    cut: list[str] = field(default_factory=list)
    _streams: dict[str, _Stream] = field(default_factory=lambda: {name: _Stream() for name in _STREAMS})
    _pending: list[tuple[str, int, str]] = field(default_factory=list)

    def feed(self, name: str, data: bytes, final: bool = False) -> None:
        stream = self._streams[name]
        text = stream.decoder.decode(data, final).replace("\x00", "\N{REPLACEMENT CHARACTER}")
        for piece in _split(text, self.chunk_bytes):
            self._add(name, stream, piece)

    def finish(self) -> None:
        """What was held back comes out as it is."""
        for name in _STREAMS:
            self.feed(name, b"", final=True)

    def written(self, name: str) -> int:
        """How many bytes of UTF-8 of this stream have come out, or will with the next `take`."""
        return self._streams[name].offset

    def take(self) -> list[tuple[str, int, str]]:
        """What came since the last call; neighbours of one stream are joined as far as a chunk may go."""
        joined: list[tuple[str, int, str]] = []
        for name, offset, text in self._pending:
            before = joined[-1] if joined else None
            if before and before[0] == name and len((before[2] + text).encode()) <= self.chunk_bytes:
                joined[-1] = (name, before[1], before[2] + text)
            else:
                joined.append((name, offset, text))
        self._pending = []
        return joined

    def _add(self, name: str, stream: _Stream, piece: str) -> None:
        size = len(piece.encode())
        if size > self.budget_bytes:
            piece = piece.encode()[: self.budget_bytes].decode("utf-8", "ignore")
            if name not in self.cut:
                self.cut.append(name)
            size, self.budget_bytes = len(piece.encode()), 0
        else:
            self.budget_bytes -= size
        if piece:
            self._pending.append((name, stream.offset, piece))
            stream.offset += size
