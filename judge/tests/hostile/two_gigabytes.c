#include <stdlib.h>
int main(void)
{
    size_t size = 2000u << 20;
    volatile char *block = malloc(size);
    for (size_t i = 0; i < size; i += 4096)
        block[i] = 1; /* without memory there is no block, and this is a segmentation fault */
    return block[size / 2] == 2;
}
