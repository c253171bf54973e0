/* Reading the files that a dead program left. */
#define _GNU_SOURCE
#include "jail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 4096
#define MAX_DEPTH 8
#define MAX_PATH 240

struct sender {
    int report;
    int64_t left_bytes;
    int left_files;
    const char *trouble;
};

static void send_content(struct sender *sender, int fd, int64_t size)
{
    static char buffer[1 << 16];
    while (size > 0) {
        ssize_t got = read(fd, buffer, size < (int64_t)sizeof buffer ? (size_t)size : sizeof buffer);
        if (got <= 0 || write_all(sender->report, buffer, (size_t)got) < 0)
            die("sending a file");
        size -= got;
    }
}

static void send_file(struct sender *sender, int directory, const char *name, const char *path)
{
    /* O_NOFOLLOW: a symbolic link as a result is refused. O_NONBLOCK: a FIFO must not hold us. */
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat state;
    if (fd < 0 || fstat(fd, &state) < 0 || !S_ISREG(state.st_mode))
        sender->trouble = "irregular";
    else if (state.st_size > sender->left_bytes || sender->left_files == 0)
        sender->trouble = "too_large";
    else {
        sender->left_bytes -= state.st_size;
        sender->left_files -= 1;
        report_line(sender->report, "file size=%lld mode=%o path=%s\n", (long long)state.st_size,
                    (unsigned)(state.st_mode & 0777), path);
        send_content(sender, fd, state.st_size);
    }
    if (fd >= 0)
        close(fd);
}

static int plain(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7f)
            return 0;
    return 1;
}

static void send_directory(struct sender *sender, int directory, const char *prefix, int depth)
{
    DIR *listing = fdopendir(directory);
    struct dirent *entry;
    while (listing && !sender->trouble && (entry = readdir(listing))) {
        char path[MAX_PATH + 1];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int length = snprintf(path, sizeof path, "%s%s", prefix, entry->d_name);
        if (length < 0 || length >= MAX_PATH || !plain(entry->d_name)) {
            sender->trouble = "bad_name";
            break;
        }
        int inner = openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0)
            send_file(sender, directory, entry->d_name, path);
        else if (depth == 0)
            sender->trouble = "too_deep";
        else {
            path[length] = '/';
            path[length + 1] = 0;
            send_directory(sender, inner, path, depth - 1);
        }
    }
    if (listing)
        closedir(listing);
}

void send_files(int fd, const char *directory, int64_t limit_bytes)
{
    struct sender sender = {.report = fd, .left_bytes = limit_bytes, .left_files = MAX_FILES};
    int top = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        sender.trouble = "irregular";
    else
        send_directory(&sender, top, "", MAX_DEPTH);
    if (sender.trouble)
        report_line(fd, "trouble what=%s\n", sender.trouble);
}
