"""A program that prints and waits is seen line by line, in every language that is installed here."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.compiling import compile_sources, single_source
from judge.languages import LANGUAGES, installed_languages
from judge.lines import line_by_line
from judge.programs import run_request
from judge.sandbox import Jail, Status
from judge.sandbox.model import MIB

pytestmark = [pytest.mark.embedded, pytest.mark.slow]  # no database is involved

WAITS = {
    "c": '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("one\\n"); usleep(600000); puts("two"); }',
    "cpp": "#include <iostream>\n#include <unistd.h>\n"
    'int main() { std::cout << "one\\n"; usleep(600000); std::cout << "two\\n"; }',
    "python": "import time\nprint('one')\ntime.sleep(0.6)\nprint('two')\n",
    "java": "public class Main { public static void main(String[] a) throws Exception {"
    ' System.out.println("one"); Thread.sleep(600); System.out.println("two"); } }',
    "javascript": "console.log('one'); setTimeout(() => console.log('two'), 600);",
    "go": 'package main\nimport ("fmt"; "time")\n'
    'func main() { fmt.Println("one"); time.Sleep(600 * time.Millisecond); fmt.Println("two") }\n',
    "rust": "use std::{thread, time};\n"
    'fn main() { println!("one"); thread::sleep(time::Duration::from_millis(600)); println!("two"); }',
    "pascal": "program p; uses sysutils; begin writeln('one'); sleep(600); writeln('two'); end.",
}
MEMORY_KB = 256 * 1024


@pytest.fixture
def folder(plain_jail: Jail) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=plain_jail.home))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("language_id", WAITS)
def test_the_first_line_comes_while_the_program_waits(language_id: str, plain_jail: Jail, folder: Path) -> None:
    plain = LANGUAGES[language_id]
    assert plain in installed_languages(), f"the compiler of {plain.name} is missing on this machine"
    language, sources = line_by_line(plain, single_source(plain, WAITS[language_id].encode()))
    built = compile_sources(plain_jail, language, sources, folder)
    assert built.program is not None, built.diagnostics.decode()
    request = run_request(built.program, built.program.limits(5000, MEMORY_KB, MIB), MEMORY_KB, b"")
    came: list[tuple[float, bytes]] = []
    used: list[tuple[int, int]] = []
    result = plain_jail.run(
        replace(request, meter_ms=100),
        lambda name, chunk: came.append((time.monotonic(), chunk)),
        on_meter=lambda cpu_ms, memory_kb: used.append((cpu_ms, memory_kb)),
    )
    ended = time.monotonic()
    assert (result.status, result.stdout.split()) == (Status.EXITED, [b"one", b"two"])
    assert b"two" not in came[0][1]
    assert ended - came[0][0] > 0.5
    assert len(used) >= 3, "about six times in this while"
    assert max(memory_kb for _, memory_kb in used) > 0
    assert max(cpu_ms for cpu_ms, _ in used) <= result.cpu_ms + 20
