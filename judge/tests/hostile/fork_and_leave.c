/* Leaves a daemon behind that would go on for ever, and ends well. */
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;) pause();
        _exit(0);
    }
    puts("bye");
    return 0;
}
