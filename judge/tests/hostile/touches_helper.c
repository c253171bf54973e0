/* Exit status: how many ways there are to stop, starve, blind or take over what measures a program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
static int found;
static void try(const char *what, long answer)
{
    if (answer >= 0) {
        found++;
        printf("%s\n", what);
    }
}
int main(void)
{
    pid_t helper = getppid();
    struct rlimit few = {3, 3};
    struct sched_param idle = {0};
    cpu_set_t one;
    siginfo_t info = {.si_signo = SIGCONT, .si_code = SI_QUEUE};
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    int fds[2];
    if (pipe(fds) < 0)
        return 100;
    try("kill", kill(helper, SIGCONT));
    try("kill all", kill(-1, SIGCONT));
    try("kill group", kill(-getpgid(helper), SIGCONT));
    try("tkill", syscall(SYS_tkill, helper, SIGCONT));
    try("tgkill", syscall(SYS_tgkill, helper, helper, SIGCONT));
    try("sigqueue", syscall(SYS_rt_sigqueueinfo, helper, SIGCONT, &info));
    try("tgsigqueue", syscall(SYS_rt_tgsigqueueinfo, helper, helper, SIGCONT, &info));
    try("pidfd_open", syscall(SYS_pidfd_open, helper, 0));
    try("pidfd_send_signal", syscall(SYS_pidfd_send_signal, open("/proc/self", O_RDONLY), 0, NULL, 0));
    try("prlimit", prlimit(helper, RLIMIT_NOFILE, &few, NULL));
    try("nice", setpriority(PRIO_PROCESS, helper, 19));
    try("nice of the user", setpriority(PRIO_USER, 0, 19));
    try("affinity", sched_setaffinity(helper, sizeof one, &one));
    try("scheduler", sched_setscheduler(helper, SCHED_IDLE, &idle));
    try("owner of a descriptor", fcntl(fds[0], F_SETOWN, helper));
    try("signal of a descriptor", fcntl(fds[0], F_SETSIG, SIGSTOP));
    try("memory of pid 1", open("/proc/1/mem", O_RDWR));
    try("root of pid 1", open("/proc/1/root", O_RDONLY));
    try("writing in place of pid 1", open("/proc/1/x", O_CREAT | O_WRONLY, 0600));
    try("memory of the helper", open("/proc/2/mem", O_RDWR));
    try("message queue", syscall(SYS_msgget, 0, 0600));
    try("semaphores", syscall(SYS_semget, 0, 1, 0600));
    return found;
}
