/* What the processes of a program use, and miss, while they live. */
#define _GNU_SOURCE
#include "jail.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

/* More than a jail may have processes at a time; what does not fit is counted when it is reaped. */
#define MAX_SEEN 512

struct seen {
    pid_t pid;
    int64_t cpu_ns;
    unsigned round;
};

static struct seen seen[MAX_SEEN];
static size_t seen_count;
static unsigned this_round;
/* CPU time of processes that are no more, as it was when they were seen last. */
static int64_t gone_ns;

/* The first bytes of a file, of a folder or by a whole path; whether there are any. */
static int read_start(int folder, const char *path, char *text, size_t size)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    if (length <= 0)
        return 0;
    text[length] = 0;
    return 1;
}

static int read_pages(const char *pid, long *resident, long *shared)
{
    char path[64], line[128];
    long size;
    snprintf(path, sizeof path, "/proc/%.20s/statm", pid);
    if (!read_start(AT_FDCWD, path, line, sizeof line))
        return 0;
    return sscanf(line, "%ld %ld %ld", &size, resident, shared) == 3;
}

int64_t process_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return -1;
    return used.tv_sec * NANOS + used.tv_nsec;
}

static void see(pid_t pid)
{
    int64_t now_ns = process_cpu_ns(pid);
    size_t i = 0;
    while (i < seen_count && seen[i].pid != pid)
        i++;
    if (now_ns < 0 || i == MAX_SEEN)
        return;
    if (i == seen_count)
        seen[seen_count++] = (struct seen){.pid = pid};
    if (now_ns < seen[i].cpu_ns) /* another process with the number of one that is no more */
        gone_ns += seen[i].cpu_ns;
    seen[i].cpu_ns = now_ns;
    seen[i].round = this_round;
}

static int64_t total_cpu_ns(void)
{
    int64_t total = 0;
    for (size_t i = 0; i < seen_count;) {
        if (seen[i].round == this_round)
            total += seen[i++].cpu_ns;
        else {
            gone_ns += seen[i].cpu_ns;
            seen[i] = seen[--seen_count];
        }
    }
    return total + gone_ns;
}

/* Files in a file system that is memory, unlinked ones too. */
static int64_t file_system_kb(const char *path)
{
    struct statfs state;
    return statfs(path, &state) == 0 ? (int64_t)(state.f_blocks - state.f_bfree) * (state.f_bsize / 1024) : 0;
}

struct census take_census(void)
{
    DIR *listing = opendir("/proc");
    struct dirent *entry;
    if (!listing)
        die("looking at the processes"); /* blind, it would let everything pass */
    long private_pages = 0, shared_pages = 0, resident, shared;
    this_round++;
    while ((entry = readdir(listing))) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid <= 1 || pid == getpid())
            continue;
        see((pid_t)pid);
        if (!read_pages(entry->d_name, &resident, &shared))
            continue;
        private_pages += resident - shared;
        shared_pages = shared > shared_pages ? shared : shared_pages;
    }
    closedir(listing);
    int64_t page_kb = sysconf(_SC_PAGESIZE) / 1024, files_kb = file_system_kb("/tmp");
    /* A file in /tmp may be mapped too: the larger, not both. */
    int64_t shared_kb = shared_pages * page_kb > files_kb ? shared_pages * page_kb : files_kb;
    return (struct census){.memory_kb = private_pages * page_kb + shared_kb, .cpu_ns = total_cpu_ns()};
}

/* How long one thread was ready to run and had no processor; see the kernel's Documentation/scheduler/sched-stats. */
static int64_t thread_delay_ns(int threads, const char *tid)
{
    char path[64], line[128];
    long long ran, delayed;
    snprintf(path, sizeof path, "%.20s/schedstat", tid);
    if (!read_start(threads, path, line, sizeof line))
        return 0;
    return sscanf(line, "%lld %lld", &ran, &delayed) == 2 ? delayed : 0;
}

static int64_t process_delay_ns(const char *pid)
{
    char path[64];
    int64_t longest = 0;
    snprintf(path, sizeof path, "/proc/%.20s/task", pid);
    DIR *threads = opendir(path);
    struct dirent *entry;
    while (threads && (entry = readdir(threads))) {
        int64_t delay = entry->d_name[0] == '.' ? 0 : thread_delay_ns(dirfd(threads), entry->d_name);
        longest = delay > longest ? delay : longest;
    }
    if (threads)
        closedir(threads);
    return longest;
}

int64_t longest_delay_ns(void)
{
    DIR *listing = opendir("/proc");
    struct dirent *entry;
    int64_t longest = 0;
    while (listing && (entry = readdir(listing))) {
        long pid = strtol(entry->d_name, NULL, 10);
        int64_t delay = pid <= 1 || pid == getpid() ? 0 : process_delay_ns(entry->d_name);
        longest = delay > longest ? delay : longest;
    }
    if (listing)
        closedir(listing);
    return longest;
}
