/* Entry point and what both halves need. See jail.h. */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void die(const char *what)
{
    dprintf(2, "jail: %s: %s\n", what, strerror(errno));
    _exit(125);
}

int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NANOS + now.tv_nsec;
}

int is_named(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=';
}

int64_t number_after(const char *argument, const char *name)
{
    char *end;
    const char *digits = argument + strlen(name) + 1;
    errno = 0;
    int64_t value = strtoll(digits, &end, 10);
    if (errno || end == digits || *end) {
        errno = EINVAL;
        die(argument);
    }
    return value;
}

int write_all(int fd, const void *data, size_t length)
{
    const char *rest = data;
    while (length > 0) {
        ssize_t written = write(fd, rest, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        rest += written;
        length -= (size_t)written;
    }
    return 0;
}

int report_line(int fd, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        return -1;
    return write_all(fd, line, (size_t)length);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launch") == 0)
        return launch_main(argc - 2, argv + 2);
    if (argc > 1 && strcmp(argv[1], "inside") == 0)
        return inside_main(argc - 2, argv + 2);
    dprintf(2, "jail: use: launch … | inside …\n");
    return 125;
}
