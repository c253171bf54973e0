// Single precision has about seven digits.
#include <cmath>
#include <cstdio>

int main() {
    int n;
    float px = 0, py = 0, pz = 0, length = 0;
    if (std::scanf("%d", &n) != 1)
        return 1;
    for (int i = 0; i < n; ++i) {
        float x, y, z;
        if (std::scanf("%f %f %f", &x, &y, &z) != 3)
            return 1;
        if (i > 0)
            length += std::sqrt((x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz));
        px = x, py = y, pz = z;
    }
    std::printf("%.12g\n", length);
}
