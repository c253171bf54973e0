"""`manage.py check_judge`: can this host jail strangers' programs? Exit status 1 and the remedy if not."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from judge.hostcheck import check_host
from judge.paths import HELPER_CACHE


class Command(BaseCommand):
    help = "Say in words whether this host can jail programs, and what to do if it cannot."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        findings = check_host(HELPER_CACHE, settings.FATHOM.data_dir)
        for finding in findings:
            mark = self.style.ERROR("no ") if finding.blocks else self.style.SUCCESS("ok ")
            self.stdout.write(mark + finding.sentence)
            if finding.remedy:
                self.stdout.write(f"   Remedy: {finding.remedy}")
        if any(finding.blocks for finding in findings):
            raise SystemExit(1)
