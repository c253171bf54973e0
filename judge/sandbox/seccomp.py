"""The system call filter of the jail as a BPF program, made here so that no library is needed.

It is a deny list: runtimes of eight languages must go on working. What is denied either reaches other
processes or the kernel's rarely used parts, or makes memory that no limit counts, or leaves the empty
network namespace (vsock, netlink, kernel crypto sockets). Numbers are those of the kernel's tables
`arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

from __future__ import annotations

import errno
import struct

# From <linux/seccomp.h>, <linux/audit.h> and <linux/bpf_common.h>.
_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
_ALLOW = 0x7FFF0000
_LOAD_WORD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_AT_LEAST = 0x35
_JUMP_ANY_BIT = 0x45
_AND = 0x54
_RETURN = 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENT_0, _OFFSET_ARGUMENT_3 = 0, 4, 16, 40
_X32_BIT = 0x40000000

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}

# name: (x86_64, aarch64); None where the architecture has no such call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # keys, tracing, programs in the kernel
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}

# Answered with "no such call", so that runtimes take their older way.
_ABSENT: dict[str, tuple[int | None, int | None]] = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone3": (435, 435),  # its flags are behind a pointer, a filter cannot see them; libc falls back
    "memfd_create": (319, 279),  # memory that belongs to no process
    "memfd_secret": (447, 447),
    "shmget": (29, 194),  # likewise
    "msgget": (68, 186),  # likewise
    "semget": (64, 190),  # likewise
}

_MMAP = (9, 222)
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_CLONE = (56, 220)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
_CLONE_NAMESPACES = 0x80 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
# CLONE_NEWTIME shares its bit with the exit signal of clone (0xff), where it cannot be asked for.
_CLONE_FORBIDDEN = _CLONE_NAMESPACES & ~0xFF
_SOCKET_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _answer(value: int) -> bytes:
    return _instruction(_RETURN, value)


def _refuse(error: int) -> bytes:
    return _answer(_ERRNO | error)


def _numbers(table: dict[str, tuple[int | None, int | None]], column: int) -> list[int]:
    return [number for row in table.values() if (number := row[column]) is not None]


def _if_call(number: int, then: list[bytes]) -> list[bytes]:
    """`then` must end with an answer; it runs only for this call, with the number loaded."""
    return [_instruction(_JUMP_EQUAL, number, 0, len(then)), *then]


def _sockets() -> list[bytes]:
    checks = [
        _instruction(_JUMP_EQUAL, family, len(_SOCKET_FAMILIES) - place, 0)
        for place, family in enumerate(_SOCKET_FAMILIES)
    ]
    load = _instruction(_LOAD_WORD, _OFFSET_ARGUMENT_0)
    return [load, *checks, _refuse(errno.EAFNOSUPPORT), _answer(_ALLOW)]


def _clone() -> list[bytes]:
    load = _instruction(_LOAD_WORD, _OFFSET_ARGUMENT_0)
    check = _instruction(_JUMP_ANY_BIT, _CLONE_FORBIDDEN, 0, 1)
    return [load, check, _refuse(errno.EPERM), _answer(_ALLOW)]


def _mmap() -> list[bytes]:
    """Shared anonymous memory stays although no process shows it any more (MADV_DONTNEED, a part unmapped)."""
    both = _MAP_SHARED | _MAP_ANONYMOUS
    load = [_instruction(_LOAD_WORD, _OFFSET_ARGUMENT_3), _instruction(_AND, both)]
    return [*load, _instruction(_JUMP_EQUAL, both, 0, 1), _refuse(errno.ENOMEM), _answer(_ALLOW)]


def filter_program(machine: str, *, counts_memory: bool = True) -> bytes:
    """The filter for `machine` (as `uname -m` says it). KeyError for one that is not in the table.

    `counts_memory`: a control group counts what the program holds; else memory that no process shows is refused.
    """
    column = _COLUMN[machine]
    program = [
        _instruction(_LOAD_WORD, _OFFSET_ARCHITECTURE),
        _instruction(_JUMP_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _answer(_KILL_PROCESS),  # 32-bit calls would have other numbers
        _instruction(_LOAD_WORD, _OFFSET_NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _refuse(errno.ENOSYS)]
    for number in _numbers(_DENIED, column):
        program += _if_call(number, [_refuse(errno.EPERM)])
    for number in _numbers(_ABSENT, column):
        program += _if_call(number, [_refuse(errno.ENOSYS)])
    program += _if_call(_CLONE[column], _clone())
    program += _if_call(_SOCKET[column], _sockets())
    program += _if_call(_SOCKETPAIR[column], _sockets())
    if not counts_memory:
        program += _if_call(_MMAP[column], _mmap())
    program.append(_answer(_ALLOW))
    return b"".join(program)
