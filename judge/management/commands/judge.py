"""`manage.py judge [--slots N]`: judge what waits in the queue, until SIGTERM."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judge.hostcheck import check_host
from judge.paths import HELPER_CACHE
from judge.supervisor import Supervisor


class Command(BaseCommand):
    help = "Judge records and self-tests. Runs on any machine that reaches the database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slots", type=int, help="programs at a time (default: FATHOM_JUDGE_SLOTS)")

    def handle(self, *args: Any, **options: Any) -> None:
        slots = settings.FATHOM.judge_slots if options["slots"] is None else options["slots"]
        if slots < 1:
            raise CommandError("A judge needs at least one slot.")
        for finding in check_host(HELPER_CACHE, settings.FATHOM.data_dir):
            if finding.blocks:
                raise CommandError(f"This host cannot judge. {finding.sentence} Remedy: {finding.remedy}")
        Supervisor(settings.FATHOM.node_id, slots).run()
