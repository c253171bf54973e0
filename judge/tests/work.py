"""What a slot is given to judge in tests, and what becomes of it."""

from __future__ import annotations

import hashlib

from contest.models import Blob, Package, PackageTest, Problem, Record, User
from contest.services.records import submit
from judge.worker import Worker

RIGHT = "a, b = map(int, input().split())\nprint(a + b)\n"
FIRST_ONLY = "a, b = map(int, input().split())\nprint(3)\n"


def blob(data: bytes) -> Blob:
    name = hashlib.sha256(data).hexdigest()
    return Blob.objects.get_or_create(sha256=name, defaults={"data": data, "size_bytes": len(data)})[0]


def add_case(package: Package, index: int, given: bytes, answer: bytes, **fields: object) -> None:
    PackageTest.objects.create(
        package=package,
        index=index,
        name=str(index),
        is_sample=False,
        input=blob(given),
        answer=blob(answer),
        **fields,
    )


def judged(worker: Worker, problem: Problem, user: User, source: str, language: str = "python") -> Record:
    record = submit(problem, user, language=language, source=source)
    assert worker.step()
    return Record.objects.get(pk=record.pk)
