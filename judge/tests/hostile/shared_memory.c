/* Many children, each well below the limit, together far above it. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            char *block = malloc(30 << 20);
            memset(block, i + 1, 30 << 20);
            sleep(20);
            _exit(block[7]);
        }
    while (wait(NULL) > 0) {}
    return 0;
}
