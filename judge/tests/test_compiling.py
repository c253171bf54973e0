"""Every installed language compiles and runs; hostile sources end in a compile error, in time."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.compiling import COMPILED_BYTES, DIAGNOSTICS_BYTES, CompileResult, compile_sources, single_source
from judge.entrypoint import java_entry, java_file_name
from judge.languages import LANGUAGES, installed_languages, language_for_file, tool_path
from judge.programs import run_request
from judge.sandbox import Jail, RunResult, Status
from judge.verdicts import verdict_of_run

pytestmark = [
    pytest.mark.usefixtures("nothing_is_left"),
    pytest.mark.embedded,
    pytest.mark.slow,
]  # no database is involved
MEMORY_KB = 256 * 1024

SUM = {
    "c": '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }',
    "cpp": "#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }",
    "python": "a, b = map(int, open('/dev/stdin').read().split())\nprint(a + b)\n",
    "java": "import java.util.*; public class Sum { public static void main(String[] x) {"
    " var in = new Scanner(System.in); System.out.println(in.nextInt() + in.nextInt()); } }",
    "javascript": "const [a, b] = require('fs').readFileSync('/dev/stdin', 'utf8').split(' ').map(Number);"
    " console.log(a + b);",
    "go": 'package main\nimport "fmt"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }\n',
    "rust": "use std::io::*;\nfn main() { let mut s = String::new(); stdin().read_to_string(&mut s).unwrap();"
    ' let n: i64 = s.split_whitespace().map(|w| w.parse::<i64>().unwrap()).sum(); println!("{}", n); }',
    "pascal": "var a, b: longint; begin read(a, b); writeln(a + b); end.",
}
BROKEN = dict.fromkeys(SUM, "this is no program (")
ENDLESS_RECURSION = {
    "java": "public class Main { static int f(int n) { return f(n + 1) + 1; }"
    " public static void main(String[] a) { f(0); } }",
    "javascript": "function f(n) { return f(n + 1) + 1 }; f(0)",
    "python": "def f(n): return f(n + 1) + 1\nf(0)",
}
HUNGRY = {
    "java": "import java.util.*; public class Main { public static void main(String[] a) {"
    " var all = new ArrayList<int[]>(); while (true) all.add(new int[1 << 18]); } }",
    "javascript": "const all = []; while (true) all.push(new Array(1 << 18).fill(1.5))",
    "python": "all = []\nwhile True: all.append(bytearray(1 << 20))",
    "go": "package main\nfunc main() { var all [][]byte; for { b := make([]byte, 1<<20);"
    " for i := range b { b[i] = 1 }; all = append(all, b) } }\n",
    "cpp": "#include <vector>\nint main() { std::vector<std::vector<char>> all;"
    " for (;;) all.emplace_back(1 << 20, 1); }",
}


@pytest.fixture
def folder(jail: Jail) -> Iterator[Path]:
    folder = jail.home / "program"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def build(jail: Jail, language: str, source: str, folder: Path) -> CompileResult:
    row = LANGUAGES[language]
    return compile_sources(jail, row, single_source(row, source.encode()), folder)


def run(jail: Jail, built: CompileResult, stdin: bytes = b"", cpu_ms: int = 4000) -> RunResult:
    assert built.program is not None, built.diagnostics.decode()
    limits = built.program.limits(cpu_ms, MEMORY_KB, 1 << 20)
    return jail.run(run_request(built.program, limits, MEMORY_KB, stdin))


OFFERED = [row.id for row in installed_languages()]


@pytest.mark.parametrize("language", OFFERED)
def test_every_installed_language_adds_two_numbers(jail: Jail, folder: Path, language: str) -> None:
    result = run(jail, build(jail, language, SUM[language], folder), b"20 22\n")
    assert (result.status, result.exit_code, result.stdout) == (Status.EXITED, 0, b"42\n"), result


@pytest.mark.parametrize("language", OFFERED)
def test_a_broken_source_is_a_compile_error_with_the_compilers_words(
    plain_jail: Jail, jail: Jail, folder: Path, language: str
) -> None:
    built = build(jail, language, BROKEN[language], folder)
    assert (built.program, built.fault) == (None, "")
    assert built.diagnostics.strip()
    assert str(jail.home).encode() not in built.diagnostics


@pytest.mark.parametrize("language", [row for row in OFFERED if row in HUNGRY])
def test_too_much_memory_is_mle_in_every_runtime(jail: Jail, folder: Path, language: str) -> None:
    result = run(jail, build(jail, language, HUNGRY[language], folder))
    assert verdict_of_run(result, LANGUAGES[language].out_of_memory_exit) == "MLE", result


@pytest.mark.parametrize("language", [row for row in OFFERED if row in ENDLESS_RECURSION])
def test_endless_recursion_is_the_programs_fault(jail: Jail, folder: Path, language: str) -> None:
    result = run(jail, build(jail, language, ENDLESS_RECURSION[language], folder))
    assert verdict_of_run(result, LANGUAGES[language].out_of_memory_exit) in ("RE", "MLE"), result


TEMPLATE_BOMB = """
template<int N, unsigned long M> struct T { T<N - 1, M * 2> a; T<N - 1, M * 2 + 1> b; };
template<unsigned long M> struct T<0, M> {};
int main() { T<40, 1> t; }
"""
HUGE_BINARY = "int block[1 << 27] = {1}; int main(void) { return block[5]; }"
MANY_MESSAGES = "int main() { " + "".join(f"unknown{number};" for number in range(20000)) + " }"


@pytest.mark.parametrize(
    ("language", "source", "word"),
    [
        ("c", '#include "/dev/random"\nint main(void) {}', ""),
        ("c", '#include "/dev/zero"\nint main(void) {}', ""),
        ("c", '#include "/dev/stdin"\nint main(void) {}', ""),
        ("c", '#include "/etc/shadow"\nint main(void) {}', "No such file"),
        ("cpp", TEMPLATE_BOMB, ""),
        ("c", HUGE_BINARY, ""),
        ("cpp", MANY_MESSAGES, "unknown0"),
    ],
    ids=["random", "zero", "stdin", "shadow", "templates", "huge", "messages"],
)
def test_a_hostile_source_ends_in_a_compile_error(
    jail: Jail, folder: Path, language: str, source: str, word: str
) -> None:
    before = time.monotonic()
    built = build(jail, language, source, folder)
    assert time.monotonic() - before < LANGUAGES[language].compile_wall_ms / 1000 + 2
    if source.startswith('#include "/dev/stdin"'):
        assert built.program is not None, "an empty input is an empty file"
        return
    assert (built.program, built.fault) == (None, ""), built
    assert word in built.diagnostics.decode()
    assert len(built.diagnostics) < DIAGNOSTICS_BYTES + 200
    assert not list(folder.iterdir())


@pytest.mark.parametrize("language", [row for row in OFFERED if row == "java"])
def test_a_java_class_may_have_a_name_of_any_letters(jail: Jail, folder: Path, language: str) -> None:
    source = SUM[language].replace("Sum", "합$Größe")
    result = run(jail, build(jail, language, source, folder), b"20 22\n")
    assert (result.exit_code, result.stdout) == (0, b"42\n"), result


LIBRARIES = {
    "rust": ['#![crate_type = "lib"]\npub fn f() {}', '#![crate_type = "staticlib"]\npub fn f() {}'],
    "go": ["package other\nfunc F() {}"],
}


@pytest.mark.parametrize(
    ("language", "source"), [(row, source) for row in OFFERED for source in LIBRARIES.get(row, ())]
)
def test_a_library_is_a_compile_error_and_no_fault_of_the_judge(
    jail: Jail, folder: Path, language: str, source: str
) -> None:
    built = build(jail, language, source, folder)
    assert built.run.succeeded, "the compiler is content"
    assert (built.program, built.fault) == (None, "")
    assert b"library" in built.diagnostics


def test_the_largest_compiled_file_is_bounded(jail: Jail, folder: Path) -> None:
    built = build(jail, "c", HUGE_BINARY.replace("1 << 27", "1 << 22"), folder)
    assert built.program is not None
    size = (folder / "main").stat().st_size
    assert 1 << 24 < size < COMPILED_BYTES


def test_collected_files_belong_to_the_judge_and_cannot_be_written_by_slots(jail: Jail, folder: Path) -> None:
    build(jail, "c", SUM["c"], folder)
    state = (folder / "main").stat()
    assert (state.st_uid, state.st_mode & 0o777) == (os.geteuid(), 0o755)


def test_only_tools_below_usr_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "rustc").write_text("#!/bin/sh\n")
    (tmp_path / "rustc").chmod(0o755)
    monkeypatch.setattr("judge.languages._TOOL_PATH", str(tmp_path))
    assert shutil.which("rustc", path=str(tmp_path))
    assert tool_path("rustc") is None


def test_files_know_their_language() -> None:
    assert language_for_file("a/b.cc") is LANGUAGES["cpp"]
    assert language_for_file("x.h") is None


@pytest.mark.parametrize(
    ("source", "file_name", "entry"),
    [
        (b"class Foo { public static void main(String[] a) {} }", "Main.java", "Foo"),
        (b"// public class Bar\npublic class Foo { static public void main(String[] a) {} }", "Foo.java", "Foo"),
        (
            b"package p.q;\nfinal class A {} public final class B { public static void main(String... a) {} }",
            "B.java",
            "p.q.B",
        ),
        (b"public class " + b"x" * 201 + b" {}", "Main.java", None),
        (f"public class {'길' * 67} {{}}".encode(), "Main.java", None),
        (
            "public class Größe$1 { public static void main(String[] a) {} }".encode(),
            "Größe$1.java",
            "Größe$1",
        ),
        (b'class A { String s = "public class C"; }', "Main.java", None),
        (b"interface I {} class A {} class M { public static void main(String[] a) {} }", "Main.java", "M"),
    ],
)
def test_java_finds_its_file_and_its_class(source: bytes, file_name: str, entry: str | None) -> None:
    assert (java_file_name(source), java_entry(source)) == (file_name, entry)
