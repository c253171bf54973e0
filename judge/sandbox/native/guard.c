/* Keeps the program's hands off the process that measures it, which runs as the same user: a filter of system
 * calls of its own, beside bubblewrap's, because only here the helper's process id is known.
 *
 * Without it a program could stop the helper while its children compute, take its descriptors away so that it
 * sees no memory any more, or starve it. EPERM is what a program gets for other people's processes, too.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/sockios.h>

#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place)
#define ARGUMENT(number) LOAD(offsetof(struct seccomp_data, args) + 8 * (number)) /* the low half */
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))

/* For the call `number` go on with the next `length` rules, else behind them; they all begin with the number loaded. */
#define FOR_CALL(number, length) IF_EQUAL(number, 0, length)
/* The call's first argument must not be the helper, pid 1 or all processes. */
#define NOT_THE_HELPER(number)                                                                                    \
    FOR_CALL(number, 7), ARGUMENT(0), IF_EQUAL(helper, 4, 0), IF_EQUAL(1, 3, 0), IF_EQUAL(-1, 2, 0),              \
        IF_EQUAL(-group, 1, 0), ALLOW, REFUSE(EPERM)

int guard_helper(pid_t helper, pid_t group)
{
    struct sock_filter rules[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        NOT_THE_HELPER(SYS_kill),
        NOT_THE_HELPER(SYS_tkill),
        NOT_THE_HELPER(SYS_tgkill),
        NOT_THE_HELPER(SYS_rt_sigqueueinfo),
        NOT_THE_HELPER(SYS_rt_tgsigqueueinfo),
        NOT_THE_HELPER(SYS_pidfd_open),
        NOT_THE_HELPER(SYS_prlimit64),
        NOT_THE_HELPER(SYS_sched_setaffinity),
        NOT_THE_HELPER(SYS_sched_setscheduler),
        NOT_THE_HELPER(SYS_sched_setparam),
        NOT_THE_HELPER(SYS_sched_setattr),
        /* It takes a folder of /proc for a process, too. */
        FOR_CALL(SYS_pidfd_send_signal, 1), REFUSE(ENOSYS),
        /* Of itself only: "the user's processes" are the helper, too. */
        FOR_CALL(SYS_setpriority, 6), ARGUMENT(0), IF_EQUAL(PRIO_PROCESS, 0, 3), ARGUMENT(1), IF_EQUAL(0, 0, 1), ALLOW,
        REFUSE(EPERM),
        /* Any signal, SIGSTOP too, whenever a pipe becomes readable. */
        FOR_CALL(SYS_fcntl, 6), ARGUMENT(1), IF_EQUAL(F_SETOWN, 3, 0), IF_EQUAL(F_SETOWN_EX, 2, 0),
        IF_EQUAL(F_SETSIG, 1, 0), ALLOW, REFUSE(EPERM),
        FOR_CALL(SYS_ioctl, 5), ARGUMENT(1), IF_EQUAL(FIOSETOWN, 2, 0), IF_EQUAL(SIOCSPGRP, 1, 0), ALLOW, REFUSE(EPERM),
        ALLOW,
    };
    struct sock_fprog filter = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}
