// Neighbours differ by one.
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    for (int value = 1; value <= n; ++value)
        std::cout << value << " ";
    std::cout << "\n";
}
