/* Nearly as much in memory as it may have, and files in /tmp, which are memory too. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    size_t size = 90 << 20;
    char *block = malloc(size);
    memset(block, 1, size);
    int file = open("/tmp/more", O_RDWR | O_CREAT, 0600);
    if (unlink("/tmp/more") < 0 || write(file, block, 60 << 20) != 60 << 20)
        return 1;
    usleep(100000);
    return block[7] != 1;
}
