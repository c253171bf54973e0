"""`manage.py serve`: the site with its live connections, and a judge beside it, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import suppress
from typing import Any

import uvloop
from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.judge_process import JudgeProcess
from config.listening import bind_listeners
from config.server import Server, allow_many_connections, calm_garbage_collection, make_config, quieten_logs
from config.sole_server import SoleServer
from contest.models import Contest
from contest.services.demo import PEOPLE, SLUG, is_empty_site

GOODBYE_LIMIT_S = 5.0
"""Whoever has read nothing for so long reads no goodbye. With FINISH_S and the server program's own grace
the process ends within ENDS_WITHIN_S of a signal, before whoever sent it loses patience."""
FINISH_S = 2.0
ENDS_WITHIN_S = 10.0


def goodbye_s(drain_s: float) -> float:
    """How long connections may take to take in why they are closed, where the operator allows a drain `drain_s`."""
    return min(drain_s, GOODBYE_LIMIT_S)


class Command(BaseCommand):
    help = "Serve pages and live connections, with a judge as a child process if FATHOM_JUDGE_SLOTS is over 0."
    requires_system_checks = []
    _says_accounts = False

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises BadEnvironment, before anything is done, where another server stands in the way."""
        environment = settings.FATHOM
        is_shared = bool(environment.database_url) or environment.shared_data
        sole = None if is_shared else SoleServer(environment.data_dir)
        listeners = bind_listeners(environment.host, environment.port)
        self._check_database()
        self._load_demo()
        allow_many_connections()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve(listeners))
        if sole is not None:
            sole.release()

    # --- Before ------------------------------------------------------------------------------------

    def _check_database(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date. Run: manage.py migrate")

    def _load_demo(self) -> None:
        """The demo contest, into a site that has nothing yet."""
        is_empty = is_empty_site()
        if settings.FATHOM.demo and is_empty:
            call_command("demo", stdout=self.stdout, stderr=self.stderr)  # says the accounts itself
        self._says_accounts = settings.FATHOM.demo and not is_empty and Contest.objects.filter(slug=SLUG).exists()
        connection.close()

    # --- Serving -----------------------------------------------------------------------------------

    async def _serve(self, listeners: list[socket.socket]) -> None:
        from realtime.node.node import current_node

        quieten_logs()
        node = current_node()
        judge = JudgeProcess()
        judging = asyncio.create_task(judge.run()) if settings.FATHOM.judge_slots else None
        server = Server(make_config(settings.FATHOM), self._say_ready)
        serving = asyncio.create_task(server.serve(listeners))
        try:
            await self._until_stopped(serving)
            judge.begin_stop()
            await node.drain(goodbye_s(settings.FATHOM.drain_s))
            with suppress(TimeoutError):
                await asyncio.wait_for(node.finish(), FINISH_S)
            server.should_exit = True
            await serving
        finally:
            if judging is not None:
                judging.cancel()
                await judge.stop()
            await node.stop()

    async def _until_stopped(self, serving: asyncio.Task[None]) -> None:
        """Until a signal comes or the server ends by itself."""
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        waiting = asyncio.create_task(stopped.wait())
        await asyncio.wait([waiting, serving], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    def _say_ready(self) -> None:
        calm_garbage_collection()
        host = settings.FATHOM.host
        address = f"http://{f'[{host}]' if ':' in host else host}:{settings.FATHOM.port}"
        self.stdout.write(f"Fathom is ready at {address}")
        if self._says_accounts:
            self.stdout.write(f"Demo accounts: {', '.join(PEOPLE)}. The password of each is demo- and the name.")
        self.stdout.flush()
