/* Closes all it has and tries to write into whatever others have open. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    char path[64];
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    for (int pid = 2; pid < 5; pid++)
        for (int fd = 3; fd < 64; fd++) {
            snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
            int other = open(path, O_WRONLY);
            if (other >= 0 && write(other, "end stop=none exit=0 signal=0 cpu_us=0 wall_us=0 memory_kb=0\ndone\n", 66) > 0)
                return 77;
        }
    return 0;
}
