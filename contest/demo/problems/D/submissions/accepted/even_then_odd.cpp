#include <iostream>

int main() {
    int n;
    std::cin >> n;
    if (n == 2 || n == 3) {
        std::cout << "impossible\n";
        return 0;
    }
    for (int value = 2; value <= n; value += 2)
        std::cout << value << " ";
    for (int value = 1; value <= n; value += 2)
        std::cout << value << " ";
    std::cout << "\n";
}
