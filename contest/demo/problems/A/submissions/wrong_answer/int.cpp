// 32 bits are not enough.
#include <iostream>

int main() {
    long long a, b;
    std::cin >> a >> b;
    std::cout << static_cast<int>(a + b) << "\n";
}
