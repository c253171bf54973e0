/* Starts threads until it may not; exit status 0 if that came below 1000. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *idle(void *nothing) { pause(); return nothing; }
int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int count = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    while (count < 1000 && pthread_create(&thread, &small, idle, NULL) == 0)
        count++;
    printf("%d\n", count);
    return count == 1000;
}
