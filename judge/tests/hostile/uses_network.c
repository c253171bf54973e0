/* Exit status: how many ways to the outside it found. The port on loopback is its input. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static int reaches(const char *address, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, address, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}
int main(void)
{
    int port, ways = 0;
    if (scanf("%d", &port) != 1)
        return 99;
    ways += reaches("127.0.0.1", port);
    ways += reaches("192.0.2.1", 80);
    ways += socket(AF_INET, SOCK_RAW, 1) >= 0;
    ways += socket(16, SOCK_RAW, 0) >= 0; /* netlink */
    ways += socket(40, SOCK_STREAM, 0) >= 0; /* vsock: no namespace separates it */
    ways += socket(38, 5, 0) >= 0; /* kernel crypto */
    printf("%d\n", ways);
    return ways;
}
