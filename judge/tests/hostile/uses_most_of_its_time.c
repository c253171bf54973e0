/* Honest work: 350 ms of CPU time. */
#include <time.h>
int main(void)
{
    while (clock() < CLOCKS_PER_SEC * 35 / 100) {}
    return 0;
}
