/* Uses 100 MiB of stack and prints the depth. */
#include <stdio.h>
static int down(int left)
{
    volatile char frame[1024];
    frame[left % 1024] = 1;
    return left == 0 ? 0 : down(left - 1) + frame[left % 1024];
}
int main(void) { printf("%d\n", down(100 * 1024)); return 0; }
