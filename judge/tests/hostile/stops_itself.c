#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGSTOP); for (;;) pause(); }
