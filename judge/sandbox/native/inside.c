/* The inner half: starts the stranger's program, measures it, stops it, reports.
 *
 * The program runs as the same user, so this process is not dumpable (its /proc entries are closed to
 * the program), blocks all signals that can be blocked, and holds the report's descriptor alone. A program
 * that kills it with SIGKILL ends the jail and gets no report: a fault of the program.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ENVIRONMENT 32
/* CPU time beyond the limit before the program is stopped, so that the verdict never depends on a tick. */
#define CPU_GRACE_NS (30 * NANOS / 1000)
/* Period of the memory watch where no control group counts, in ns. */
#define MEMORY_PERIOD_NS (5 * NANOS / 1000)
/* … and of looking at the time of children that still run where one does, in ns. */
#define CHILDREN_PERIOD_NS (20 * NANOS / 1000)
/* How often the delays are looked at once the wall clock has run out, in ns. */
#define DELAY_PERIOD_NS (50 * NANOS / 1000)

struct request {
    int64_t cpu_ms, wall_ms, longest_ms, watch_kb, space_kb, stack_kb, processes, files, file_bytes, collect_bytes;
    int64_t meter_ms; /* how often the report says what the program has used so far; 0: never */
    int report, control;
    char *environment[MAX_ENVIRONMENT + 1];
    int environment_count;
    char **command;
};

static int read_number(struct request *request, const char *argument)
{
    struct {
        const char *name;
        int64_t *value;
    } numbers[] = {
        {"cpu_ms", &request->cpu_ms},         {"wall_ms", &request->wall_ms},
        {"longest_ms", &request->longest_ms},
        {"watch_kb", &request->watch_kb},     {"space_kb", &request->space_kb},
        {"stack_kb", &request->stack_kb},     {"processes", &request->processes},
        {"files", &request->files},           {"file_bytes", &request->file_bytes},
        {"collect_bytes", &request->collect_bytes}, {"meter_ms", &request->meter_ms},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (is_named(argument, numbers[i].name)) {
            *numbers[i].value = number_after(argument, numbers[i].name);
            return 1;
        }
    return 0;
}

static void read_arguments(struct request *request, int argc, char **argv)
{
    int i;
    for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (read_number(request, argv[i]))
            continue;
        if (is_named(argv[i], "report"))
            request->report = (int)number_after(argv[i], "report");
        else if (is_named(argv[i], "control"))
            request->control = (int)number_after(argv[i], "control");
        else if (is_named(argv[i], "env") && request->environment_count < MAX_ENVIRONMENT)
            request->environment[request->environment_count++] = argv[i] + strlen("env=");
    }
    if (i + 1 >= argc) {
        errno = EINVAL;
        die("no program");
    }
    request->command = argv + i + 1;
}

static int limit(int resource, int64_t value)
{
    struct rlimit old;
    rlim_t wanted = (rlim_t)value;
    if (getrlimit(resource, &old) == 0 && old.rlim_max < wanted)
        wanted = old.rlim_max;
    struct rlimit both = {wanted, wanted};
    return setrlimit(resource, &both);
}

static int set_limits(const struct request *request)
{
    int failed = 0;
    failed |= limit(RLIMIT_CPU, request->cpu_ms / 1000 + 2);
    failed |= limit(RLIMIT_FSIZE, request->file_bytes);
    failed |= limit(RLIMIT_STACK, request->stack_kb * 1024);
    failed |= limit(RLIMIT_NPROC, request->processes);
    failed |= limit(RLIMIT_NOFILE, request->files);
    failed |= limit(RLIMIT_CORE, 0);
    failed |= limit(RLIMIT_MEMLOCK, 64 * 1024);
    failed |= limit(RLIMIT_MSGQUEUE, 0);
    if (request->space_kb > 0)
        failed |= limit(RLIMIT_AS, request->space_kb * 1024);
    return failed;
}

/* SIGXFSZ and SIGPIPE arrive ignored from Python, and an ignored signal survives exec. */
static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void prefer_to_be_killed(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write_all(fd, "1000", 4) == 0)
        close(fd);
}

/* In the child. Descriptor 3 closes at exec; what is written to it before that is why there was none. */
static void start_program(const struct request *request, int failure)
{
    prefer_to_be_killed();
    /* Linux shares time out among sessions first: however many processes it starts, the helper has its turn. */
    setsid();
    if (dup2(failure, 3) == 3 && fcntl(3, F_SETFD, FD_CLOEXEC) == 0
        && syscall(SYS_close_range, 4, ~0U, 0) == 0 && set_limits(request) == 0
        && guard_helper(getppid(), getpgid(getppid())) == 0) {
        reset_signals();
        execve(request->command[0], request->command, request->environment);
    }
    int error = errno;
    write_all(3, &error, sizeof error);
    _exit(126);
}

/* CPU time of all children that were reaped, in ns. */
static int64_t reaped_ns(void)
{
    struct rusage reaped;
    if (getrusage(RUSAGE_CHILDREN, &reaped) != 0)
        return 0;
    return (reaped.ru_utime.tv_sec + reaped.ru_stime.tv_sec) * NANOS
           + (reaped.ru_utime.tv_usec + reaped.ru_stime.tv_usec) * 1000;
}

struct run {
    pid_t program;
    int ended, status;
    int64_t started_ns, peak_kb, metered_ns;
    int64_t counted_ns; /* CPU time by the census: all that is known of children that reap themselves */
    const char *stop;
};

static int reap(struct run *run, int flags)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, flags | __WALL)) > 0)
        if (pid == run->program) {
            run->ended = 1;
            run->status = status;
        }
    return errno;
}

/* CPU time so far, in ns: of the program's own process, and of its children when they are reaped or were counted. */
static int64_t cpu_ns(const struct run *run)
{
    int64_t own = process_cpu_ns(run->program);
    int64_t total = reaped_ns() + (own > 0 ? own : 0);
    return total > run->counted_ns ? total : run->counted_ns;
}

/* What is left of the wall clock, in ns. It stands still while the program is ready to run and the host has no
 * processor for it: that it "waits" is not its fault then. */
static int64_t wall_left_ns(const struct request *request, const struct run *run)
{
    int64_t elapsed = now_ns() - run->started_ns, left = request->wall_ms * (NANOS / 1000) - elapsed;
    if (left > 0)
        return left;
    int64_t longest_left = request->longest_ms * (NANOS / 1000) - elapsed;
    left += longest_delay_ns();
    if (left > 0 && left < DELAY_PERIOD_NS)
        left = DELAY_PERIOD_NS;
    return left < longest_left ? left : longest_left;
}

/* Says what is used so far, when it is time to. */
static void meter(const struct request *request, struct run *run, int64_t memory_kb)
{
    int64_t now = now_ns();
    if (request->meter_ms == 0 || now - run->metered_ns < request->meter_ms * (NANOS / 1000))
        return;
    run->metered_ns = now;
    report_line(request->report, "meter cpu_us=%lld memory_kb=%lld\n", (long long)cpu_ns(run) / 1000,
                (long long)memory_kb);
}

/* Sets run->stop if a limit is reached; returns how long nothing can happen, in ns. */
static int64_t check_limits(const struct request *request, struct run *run)
{
    int64_t cpu_left = request->cpu_ms * (NANOS / 1000) + CPU_GRACE_NS - cpu_ns(run);
    int64_t wall_left = wall_left_ns(request, run);
    int64_t next = cpu_left < wall_left ? cpu_left : wall_left;
    if (cpu_left <= 0)
        run->stop = "cpu";
    else if (wall_left <= 0)
        run->stop = "wall";
    struct census census = take_census();
    run->counted_ns = census.cpu_ns;
    meter(request, run, census.memory_kb);
    if (request->watch_kb > 0) {
        run->peak_kb = census.memory_kb > run->peak_kb ? census.memory_kb : run->peak_kb;
        if (census.memory_kb > request->watch_kb && !run->stop)
            run->stop = "memory";
    }
    int64_t period = request->watch_kb > 0 ? MEMORY_PERIOD_NS : CHILDREN_PERIOD_NS;
    next = next < period ? next : period;
    return next > 2 * NANOS / 1000 ? next : 2 * NANOS / 1000;
}

static void watch(const struct request *request, struct run *run, int signals)
{
    struct pollfd sources[2] = {{.fd = signals, .events = POLLIN}, {.fd = request->control, .events = POLLIN}};
    while (reap(run, WNOHANG) != ECHILD && !run->ended) {
        int64_t wait_ns = check_limits(request, run);
        if (run->stop)
            return;
        struct timespec wait = {wait_ns / NANOS, wait_ns % NANOS};
        if (ppoll(sources, 2, &wait, NULL) > 0 && sources[1].revents) {
            run->stop = "control";
            return;
        }
        struct signalfd_siginfo ignored;
        if (sources[0].revents && read(signals, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
            return;
    }
}

/* Everything in this pid namespace but pid 1 and this process; orphans come here, it is their reaper. */
static void kill_all(struct run *run)
{
    do
        kill(-1, SIGKILL);
    while (reap(run, 0) != ECHILD);
}

static void report(const struct request *request, const struct run *run)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    int64_t peak = used.ru_maxrss > run->peak_kb ? used.ru_maxrss : run->peak_kb;
    int64_t cpu_us = (reaped_ns() > run->counted_ns ? reaped_ns() : run->counted_ns) / 1000;
    int exited = WIFEXITED(run->status);
    report_line(request->report, "end stop=%s exit=%d signal=%d cpu_us=%lld wall_us=%lld memory_kb=%lld\n",
                run->stop ? run->stop : "none", exited ? WEXITSTATUS(run->status) : -1,
                exited ? 0 : WTERMSIG(run->status), (long long)cpu_us,
                (long long)((now_ns() - run->started_ns) / 1000), (long long)peak);
    if (request->collect_bytes > 0 && !run->stop && exited)
        send_files(request->report, "/out", request->collect_bytes);
    report_line(request->report, "done\n");
}

int inside_main(int argc, char **argv)
{
    struct request request = {.report = -1, .control = -1};
    read_arguments(&request, argc, argv);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    int failure[2], error = 0;
    if (signals < 0 || pipe2(failure, O_CLOEXEC) < 0)
        die("descriptors");
    if (report_line(request.report, "started\n") < 0)
        die("report");
    struct run run = {.started_ns = now_ns(), .metered_ns = now_ns()};
    run.program = fork();
    if (run.program < 0)
        die("fork");
    if (run.program == 0)
        start_program(&request, failure[1]);
    close(failure[1]);
    close(0);
    close(1);
    if (read(failure[0], &error, sizeof error) == sizeof error)
        report_line(request.report, "exec errno=%d\n", error);
    watch(&request, &run, signals);
    kill_all(&run);
    report(&request, &run);
    return 0;
}
