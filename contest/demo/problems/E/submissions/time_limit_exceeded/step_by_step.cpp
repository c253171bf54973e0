// Solves subtasks 1 and 2.
#include <iostream>

int main() {
    long long n;
    std::cin >> n;
    long long a = 0, b = 1, c = 1;  // w(i-2), w(i-1), w(i)
    for (long long i = 1; i <= n; ++i) {
        long long next = (c + a) % 1'000'000'007;
        a = b, b = c, c = next;
    }
    std::cout << c << "\n";
}
