"""`manage.py reset_epochs`: after restoring a backup, make every page start from a snapshot."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from realtime.log.append import reset_epochs


class Command(BaseCommand):
    help = "Give the delivery log a new epoch. Run it after restoring a backup, before the site is started again."

    def handle(self, *args: Any, **options: Any) -> None:
        reset_epochs()
        self.stdout.write("The log has a new epoch; every page will start from a snapshot.")
