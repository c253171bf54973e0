// Finds each root by steps of a billionth.
#include <cstdio>

int main() {
    int n;
    double px = 0, py = 0, pz = 0, length = 0;
    if (std::scanf("%d", &n) != 1)
        return 1;
    for (int i = 0; i < n; ++i) {
        double x, y, z;
        if (std::scanf("%lf %lf %lf", &x, &y, &z) != 3)
            return 1;
        if (i > 0) {
            double square = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz);
            volatile double root = 0;
            for (long long steps = 0; root * root < square; ++steps)
                root = static_cast<double>(steps) * 1e-9;
            length += root;
        }
        px = x, py = y, pz = z;
    }
    std::printf("%.12g\n", length);
}
