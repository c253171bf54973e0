// Walks from a towards the sum one by one.
#include <iostream>

int main() {
    long long a, b;
    std::cin >> a >> b;
    volatile long long sum = a;
    for (long long step = 0; step < (b < 0 ? -b : b); ++step)
        sum = sum + (b < 0 ? -1 : 1);
    std::cout << sum << "\n";
}
