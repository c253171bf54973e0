"""`manage.py prepare_judge`: build what the judge needs on this machine; part of set-up."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judge.paths import HELPER_CACHE
from judge.sandbox import SandboxUnavailable
from judge.sandbox.setup import build_helper


class Command(BaseCommand):
    help = "Compile the small native helper of the jail, unless it is there."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="say nothing when all is well")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            helper = build_helper(HELPER_CACHE)
        except SandboxUnavailable as unavailable:
            raise CommandError(str(unavailable)) from unavailable
        if not options["quiet"]:
            self.stdout.write(f"The jail's helper is {helper}.")
