"""`manage.py demo`: the demo contest, more contestants, and signed-in sessions for load tests."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.models import Contest, User
from contest.services.demo import PEOPLE, add_contestants, load_demo, password_of
from contest.services.errors import Refused
from contest.services.sessions import open_sessions


class Command(BaseCommand):
    help = "Load the demo contest into an empty site; on a site that has it, add contestants or open sessions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--contestants", type=int, metavar="N", help="have N more contestants, c00001 and on")
        parser.add_argument(
            "--sessions-file",
            type=Path,
            metavar="F",
            help="write the value of one signed-in `sessionid` cookie a line: of the N contestants, or of all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with one sentence for the person at the console."""
        try:
            contest = load_demo()
            users = self._contestants(contest, options["contestants"])
        except Refused as refused:
            raise CommandError(refused.message) from refused
        self.stdout.write(
            f"The demo contest is at {contest.get_absolute_url()} until {contest.ends_at:%Y-%m-%d %H:%M} UTC."
        )
        for name in PEOPLE:
            self.stdout.write(f"  {name:8} {password_of(name)}")
        if options["sessions_file"]:
            _write_private(options["sessions_file"], open_sessions(users))
            self.stdout.write(f"{len(users)} signed-in sessions were written to {options['sessions_file']}.")

    def _contestants(self, contest: Contest, count: int | None) -> list[User]:
        if count is None:
            return list(User.objects.filter(participations__contest=contest).order_by("username"))
        users = add_contestants(contest, count)
        self.stdout.write(f"{count} contestants are registered.")
        return users


def _write_private(path: Path, lines: list[str]) -> None:
    """Replaces the file; nobody else on the machine may read what opens accounts."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.writelines(f"{line}\n" for line in lines)
