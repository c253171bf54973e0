"""`manage.py` of a site on which every question to the jury takes its time to be stored."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

STORED_S = 0.6
"""Longer than the sites that tests start with this let a client be silent."""


def main() -> None:
    import django
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

    from contest.services.clarifications import ask_clarification
    from realtime.consumers import announcements

    def ask_slowly(*arguments: Any, **options: Any) -> Any:
        time.sleep(STORED_S)
        return ask_clarification(*arguments, **options)

    vars(announcements)["ask_clarification"] = ask_slowly
    execute_from_command_line(["manage.py", *sys.argv[1:]])


if __name__ == "__main__":
    main()
