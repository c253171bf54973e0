// Looks sums up in a table that is too small for most of them.
#include <cstdlib>
#include <iostream>
#include <vector>

int main() {
    long long a, b;
    std::cin >> a >> b;
    std::vector<long long> table(100);
    for (long long i = 0; i < 100; ++i)
        table[i] = i;
    if (a + b < 0 || a + b >= 100)
        std::abort();
    std::cout << table[a + b] << "\n";
}
