/* Everything that it can reach dies, itself at last. */
#include <signal.h>
#include <unistd.h>
int main(void)
{
    kill(-1, SIGKILL);
    kill(getppid(), SIGKILL);
    kill(1, SIGKILL);
    kill(0, SIGKILL);
    return 0;
}
