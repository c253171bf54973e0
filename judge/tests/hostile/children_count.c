/* Lets children burn the time and never waits for them. */
#include <time.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            while (clock() < CLOCKS_PER_SEC / 4) {}
            _exit(0);
        }
    usleep(900000);
    return 0;
}
