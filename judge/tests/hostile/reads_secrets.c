/* Prints what it could read of secrets of the host; prints nothing if there are none. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
static void show(const char *path)
{
    char block[4096];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(block, 1, sizeof block, file) : 0;
    if (length > 0)
        printf("%s: %.*s\n", path, (int)length, block);
}
int main(void)
{
    show("/etc/shadow");
    show("/etc/passwd");
    show("/etc/hostname");
    show("/proc/1/environ");
    show("/proc/2/environ");
    show("/proc/kcore");
    show("/sys/kernel/uevent_seqnum");
    DIR *listing = opendir("/home");
    if (listing)
        puts("/home is there");
    return 0;
}
