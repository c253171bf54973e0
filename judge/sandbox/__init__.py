"""Running a stranger's program in a jail: bubblewrap outside, a small native helper inside.

Nothing here knows contests or Django. `Jail.run(RunRequest) -> RunResult` is the whole interface.
"""

from judge.sandbox.jail import Jail
from judge.sandbox.model import Bind, CollectedFile, Limits, RunRequest, RunResult, Status
from judge.sandbox.setup import SandboxUnavailable

__all__ = [
    "Bind",
    "CollectedFile",
    "Jail",
    "Limits",
    "RunRequest",
    "RunResult",
    "SandboxUnavailable",
    "Status",
]
