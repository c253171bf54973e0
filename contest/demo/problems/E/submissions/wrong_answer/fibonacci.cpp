// Forgets that Carol is out of breath.
#include <iostream>

int main() {
    long long n, a = 1, b = 1;
    std::cin >> n;
    for (long long i = 2; i <= n && i <= 1'000'000; ++i) {
        long long next = (a + b) % 1'000'000'007;
        a = b, b = next;
    }
    std::cout << b << "\n";
}
