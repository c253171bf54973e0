/* The outer half: starts bubblewrap with the slot's rights and outlives everything in the jail.
 *
 * It is small on purpose: a child of a big Python process would start with that process's peak memory.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_GROUPS 8
/* How long the inner half may take to stop the program and report once it was told to, in ns. */
#define STOP_GRACE_NS (400 * NANOS / 1000)

struct launch {
    int64_t uid, gid, hard_ms;
    int control, report;
    const char *groups[MAX_GROUPS];
    int group_count;
    char **command;
};

static void read_arguments(struct launch *launch, int argc, char **argv)
{
    int i;
    for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_named(argv[i], "uid"))
            launch->uid = number_after(argv[i], "uid");
        else if (is_named(argv[i], "gid"))
            launch->gid = number_after(argv[i], "gid");
        else if (is_named(argv[i], "hard_ms"))
            launch->hard_ms = number_after(argv[i], "hard_ms");
        else if (is_named(argv[i], "control"))
            launch->control = (int)number_after(argv[i], "control");
        else if (is_named(argv[i], "report"))
            launch->report = (int)number_after(argv[i], "report");
        else if (is_named(argv[i], "cgroup") && launch->group_count < MAX_GROUPS)
            launch->groups[launch->group_count++] = argv[i] + strlen("cgroup=");
    }
    if (i + 1 >= argc) {
        errno = EINVAL;
        die("no command");
    }
    launch->command = argv + i + 1;
}

/* Joins a fresh group of the judge's own; only this child, never a process that somebody else placed. */
static void join_group(const char *procs_file)
{
    int fd = open(procs_file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write_all(fd, "0", 1) < 0)
        die(procs_file);
    close(fd);
}

static void become(const struct launch *launch)
{
    if (launch->uid < 0)
        return;
    if (setgroups(0, NULL) < 0 || setgid((gid_t)launch->gid) < 0 || setuid((uid_t)launch->uid) < 0)
        die("becoming the slot's user");
}

/* The program's stack may be as large as its memory limit: the hard limit must not be in the way. */
static void lift_stack_limit(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_max = RLIM_INFINITY;
        setrlimit(RLIMIT_STACK, &stack);
    }
}

static void start_jail(const struct launch *launch)
{
    static char *const empty[] = {NULL};
    for (int i = 0; i < launch->group_count; i++)
        join_group(launch->groups[i]);
    lift_stack_limit();
    become(launch);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* An empty environment: pid 1 of the jail keeps what it is given in /proc/1/environ. */
    execve(launch->command[0], launch->command, empty);
    die(launch->command[0]);
}

/* Kills whatever hangs below this process. As a subreaper it inherits what bubblewrap leaves. */
static void kill_children(pid_t jail)
{
    char path[64], list[4096];
    if (jail > 0)
        kill(jail, SIGKILL);
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, list, sizeof list - 1);
    close(fd);
    if (length <= 0)
        return;
    list[length] = 0;
    for (char *rest = list, *end; *rest; rest = end) {
        long pid = strtol(rest, &end, 10);
        if (end == rest)
            break;
        kill((pid_t)pid, SIGKILL);
    }
}

static int reap(pid_t jail, int *status)
{
    pid_t pid;
    int last;
    while ((pid = waitpid(-1, &last, WNOHANG | __WALL)) > 0)
        if (pid == jail)
            *status = last;
    return pid < 0 && errno == ECHILD;
}

/* Waits until no child is left; kills all when the hard deadline passes or the judge wants it to end. */
static int watch(const struct launch *launch, pid_t jail, int signals)
{
    int status = -1, killed = 0;
    int64_t deadline = now_ns() + launch->hard_ms * (NANOS / 1000);
    struct pollfd sources[2] = {{.fd = signals, .events = POLLIN}, {.fd = launch->control, .events = POLLIN}};
    while (!reap(jail, &status)) {
        int64_t left_ms = (deadline - now_ns()) / (NANOS / 1000) + 1;
        if (left_ms <= 0 || killed || status >= 0) {
            killed |= left_ms <= 0;
            kill_children(status < 0 ? jail : 0);
            left_ms = 5;
        }
        poll(sources, 2, (int)left_ms);
        struct signalfd_siginfo ignored;
        if (sources[0].revents && read(signals, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
            die("signals");
        if (sources[1].revents) {
            sources[1].fd = -1;
            int64_t soon = now_ns() + STOP_GRACE_NS;
            deadline = soon < deadline ? soon : deadline;
        }
    }
    if (killed)
        return 124;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int launch_main(int argc, char **argv)
{
    struct launch launch = {.uid = -1, .gid = -1, .hard_ms = 10000, .control = -1, .report = -1};
    read_arguments(&launch, argc, argv);
    /* Not the kernel's death signal: it would end this process while bubblewrap's own child still has none,
     * and that child would wait for ever. When the judge dies, however it dies, its end of the control pipe
     * closes, and this process tidies up before it goes.
     * A session of its own, so that Ctrl-C on the judge is no signal to a program. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        die("signalfd");
    pid_t jail = fork();
    if (jail < 0)
        die("fork");
    if (jail == 0)
        start_jail(&launch);
    /* The pipes belong to the jail alone: their end of file means that it is gone. */
    close(0);
    close(1);
    close(2);
    close(launch.report);
    return watch(&launch, jail, signals);
}
