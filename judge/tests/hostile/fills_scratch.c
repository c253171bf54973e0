/* Writes to /tmp until it is full; exit status 0 if that came below 1 GiB. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    static char block[1 << 20];
    char path[32];
    int blocks = 0;
    for (int file = 0; file < 1024 && blocks < 1024; file++) {
        snprintf(path, sizeof path, "/tmp/%d", file);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        int before = blocks;
        for (int i = 0; i < 16 && write(fd, block, sizeof block) == sizeof block; i++)
            blocks++;
        close(fd);
        if (blocks == before)
            break;
    }
    printf("%d\n", blocks);
    return blocks >= 1024;
}
