/* Exit status 0 if its own input file cannot be changed through its descriptor. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
    fchmod(0, 0666);
    int fd = open("/proc/self/fd/0", O_RDWR);
    if (fd < 0)
        return 0;
    return write(fd, "changed", 7) > 0 || ftruncate(fd, 0) == 0;
}
