/* Exit status: in how many places it could write that are not its own scratch. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
    static const char *places[] = {"/x", "/box/x", "/box/../x", "/usr/x", "/usr/bin/x", "/dev/x", "/dev/shm/x",
                                   "/etc/x", "/proc/x", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
                                   "/.helper", "/box/main", "/var/x"};
    int written = 0;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = open(places[i], O_WRONLY | O_CREAT, 0600);
        if (fd >= 0 && write(fd, "x", 1) == 1) {
            written++;
            puts(places[i]);
        }
    }
    written += mkdir("/y", 0700) == 0;
    written += chmod("/box/main", 0777) == 0;
    return written;
}
