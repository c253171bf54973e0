/* Shared by the two halves of the jail's native program.
 *
 * launch: outside the jail, with the judge's rights. Starts bubblewrap as the slot's user, watches the
 *         wall clock, and does not end before everything that it started is dead and reaped.
 * inside: the first process inside. Starts the stranger's program, measures it, stops it at its limits
 *         and reports over a descriptor that the program never gets.
 */
#ifndef FATHOM_JAIL_H
#define FATHOM_JAIL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NANOS 1000000000LL

int launch_main(int argc, char **argv);
int inside_main(int argc, char **argv);

/* Monotonic time in nanoseconds. */
int64_t now_ns(void);

/* "name=123" as a number; ends the process with a message if it is none. */
int64_t number_after(const char *argument, const char *name);
/* Whether `argument` has the form "name=…". */
int is_named(const char *argument, const char *name);

/* Writes all of it, whatever the pipe takes at a time. Returns 0, or -1 when nobody reads any more. */
int write_all(int fd, const void *data, size_t length);
/* One formatted line of the report, at most 500 bytes. */
int report_line(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All processes in this pid namespace but pid 1 and this one: resident memory and what lies in /tmp, in KiB, and
 * CPU time so far, in ns, of those too that ended and that nobody waited for, as far as a census saw them. */
struct census {
    int64_t memory_kb, cpu_ns;
};
struct census take_census(void);

/* The longest that any one thread of these processes was ready to run while others had the processors, in ns. */
int64_t longest_delay_ns(void);

/* CPU time of one process so far, in ns; -1 if there is none. */
int64_t process_cpu_ns(pid_t pid);

/* Sends every regular file below `directory` (links are not followed) as report lines and bytes.
 * More than `limit_bytes` or a strange file ends it with a line that says so. */
void send_files(int fd, const char *directory, int64_t limit_bytes);

/* From now on this process and what it starts cannot reach `helper` or its process group. Returns 0, or -1. */
int guard_helper(pid_t helper, pid_t group);

void die(const char *what) __attribute__((noreturn));

#endif
