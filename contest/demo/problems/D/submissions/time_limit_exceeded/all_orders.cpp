// Tries all orders, beginning with the ascending one.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 1);
    do {
        bool good = true;
        // From the end, so that no early failure saves time.
        for (int i = n - 1; i > 0; --i)
            good = good && std::abs(order[i] - order[i - 1]) != 1;
        if (good) {
            for (int value : order)
                std::cout << value << " ";
            std::cout << "\n";
            return 0;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    std::cout << "impossible\n";
}
