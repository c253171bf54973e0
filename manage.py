#!/usr/bin/env python3
"""Fathom's commands; `manage.py help` lists them."""

import os
import sys

from config.environment import BadEnvironment


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except BadEnvironment as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
