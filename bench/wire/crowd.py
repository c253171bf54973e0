"""All clients of a run in one epoll loop: connecting, reading, losing, and a clock for what is sent when."""

from __future__ import annotations

import errno
import heapq
import os
import select
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from bench.wire import frames, handshake
from bench.wire.client import Client, Phase

READ_BYTES = 65536
EVENTS_A_TURN = 1024
MOST_TRIES = 4
RETRY_NS = 50_000_000
BIND_ADDRESS_NO_PORT = 24
"""IP_BIND_ADDRESS_NO_PORT of Linux: the port is chosen at connect, by the pair of addresses."""

Turn = Callable[[int], None]


class Crowd:
    """`losses` counts why clients were lost after they had been ready, `refusals` why before."""

    def __init__(self, port: int) -> None:
        self.address = ("127.0.0.1", port)
        self.losses: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.frames = 0
        self._epoll = select.epoll()
        self._by_descriptor: dict[int, Client] = {}
        self._turns: list[Turn] = []
        self._waiting: list[tuple[int, int, Client]] = []
        """A heap of (not before, index, client) of those that want a socket."""
        self._opening = 0

    def close(self) -> None:
        """Leave without saying so."""
        for client in list(self._by_descriptor.values()):
            self._drop(client)
        self._epoll.close()

    # --- Running ----------------------------------------------------------------------------------

    def each_turn(self, turn: Turn) -> None:
        """Call `turn` with the monotonic clock in every turn of the loop, at least each 5 ms."""
        self._turns.append(turn)

    def no_more(self, turn: Turn) -> None:
        self._turns.remove(turn)

    def run_until(self, is_over: Callable[[], bool], within_s: float) -> bool:
        """Turn the loop. False if it was not over in time."""
        deadline_ns = time.monotonic_ns() + round(within_s * 1e9)
        while not is_over():
            if time.monotonic_ns() > deadline_ns:
                return False
            self._turn()
        return True

    def run_for(self, seconds: float) -> None:
        self.run_until(lambda: False, seconds)

    def _turn(self) -> None:
        for descriptor, event in self._epoll.poll(0.005, EVENTS_A_TURN):
            client = self._by_descriptor.get(descriptor)
            if client is not None:
                self._on_event(client, event)
        now_ns = time.monotonic_ns()
        for turn in self._turns:
            turn(now_ns)

    # --- Connecting -------------------------------------------------------------------------------

    def open(self, clients: Sequence[Client], *, at_once: int = 128, within_s: float = 180.0) -> float:
        """Connect all of `clients`, `at_once` at a time, until each is ready or out of tries; the seconds it took."""
        started_ns = time.monotonic_ns()
        self._waiting = [(started_ns, client.index, client) for client in clients]

        def start_more(now_ns: int) -> None:
            while self._waiting and self._waiting[0][0] <= now_ns and self._opening < at_once:
                self._start(heapq.heappop(self._waiting)[2])

        self.each_turn(start_more)
        try:
            self.run_until(lambda: not self._waiting and not self._opening, within_s)
        finally:
            self.no_more(start_more)
        return (time.monotonic_ns() - started_ns) / 1e9

    def ready(self, client: Client) -> None:
        """Told by the dialect."""
        if client.phase is Phase.OPEN:
            client.phase = Phase.READY
            client.ready_ns = time.monotonic_ns()
            self._opening -= 1

    def _start(self, client: Client) -> None:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
        sock.bind((client.source, 0))
        client.sock, client.phase, client.rest = sock, Phase.CONNECTING, b""
        client.tries += 1
        client.opened_ns = time.monotonic_ns()
        self._opening += 1
        self._by_descriptor[sock.fileno()] = client
        self._epoll.register(sock.fileno(), select.EPOLLIN | select.EPOLLOUT)
        status = sock.connect_ex(self.address)
        if status not in (0, errno.EINPROGRESS):
            self.lose(client, f"connect: {os.strerror(status)}")

    def _on_event(self, client: Client, event: int) -> None:
        assert client.sock is not None
        if client.phase is Phase.CONNECTING:
            status = client.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if status:
                self.lose(client, f"connect: {os.strerror(status)}")
            elif event & select.EPOLLOUT:
                self._upgrade(client)
            return
        try:
            data = client.sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self.lose(client, f"cut: {error.strerror}")
            return
        if data:
            self._feed(client, client.rest + data if client.rest else data)
        else:
            self.lose(client, "cut: end of stream")

    def _upgrade(self, client: Client) -> None:
        assert client.sock is not None
        client.phase = Phase.UPGRADING
        self._epoll.modify(client.sock.fileno(), select.EPOLLIN)
        client.sock.send(handshake.request(f"127.0.0.1:{self.address[1]}", client.path, client.session))

    # --- Sending and reading -----------------------------------------------------------------------

    def send(self, client: Client, payload: bytes, opcode: int = frames.TEXT) -> bool:
        """One frame. False if it could not be sent: then the client is lost."""
        if client.sock is None:
            return False
        data = frames.encode(payload, opcode)
        try:
            if client.sock.send(data) == len(data):
                return True
        except OSError as error:
            self.lose(client, f"send: {error.strerror}")
            return False
        self.lose(client, "send: the server takes nothing in")
        return False

    def _feed(self, client: Client, data: bytes) -> None:
        if client.phase is Phase.UPGRADING:
            head, end, data = data.partition(handshake.END)
            if not end:
                client.rest = head
                return
            status = handshake.status(head)
            if status != 101:
                self.lose(client, f"HTTP {status}")
                return
            client.phase = Phase.OPEN
            client.dialect.on_open(client)
        try:
            found, client.rest = frames.split(data)
        except frames.BadFrame as error:
            self.lose(client, str(error))
            return
        at_ns = time.monotonic_ns()
        for opcode, payload in found:
            self._take(client, opcode, payload, at_ns)

    def _take(self, client: Client, opcode: int, payload: bytes, at_ns: int) -> None:
        if client.sock is None:
            return
        if opcode == frames.TEXT:
            self.frames += 1
            client.dialect.on_text(client, payload, at_ns)
        elif opcode == frames.PING:
            self.send(client, payload, frames.PONG)
        elif opcode == frames.CLOSE:
            self.lose(client, f"closed: {frames.close_code(payload)}")

    # --- Losing -----------------------------------------------------------------------------------

    def lose(self, client: Client, why: str) -> None:
        """It is gone; one that was not ready yet tries again, at most `MOST_TRIES` times in all."""
        was_ready = client.phase is Phase.READY
        self._drop(client)
        (self.losses if was_ready else self.refusals)[why] += 1
        if not was_ready:
            self._opening -= 1
            if client.tries < MOST_TRIES:
                heapq.heappush(self._waiting, (time.monotonic_ns() + RETRY_NS, client.index, client))

    def _drop(self, client: Client) -> None:
        if client.sock is not None:
            self._by_descriptor.pop(client.sock.fileno(), None)
            with suppress(OSError):
                client.sock.close()  # takes it out of epoll, too
        client.sock, client.phase = None, Phase.LOST
