// Stretches between equal heights are calm.
#include <iostream>
#include <string>
#include <vector>

int main() {
    std::string notes;
    std::cin >> notes;
    std::vector<long long> seen(2 * notes.size() + 1);
    std::size_t height = notes.size();
    long long calm = 0;
    seen[height] = 1;
    for (char letter : notes) {
        height = letter == 'U' ? height + 1 : height - 1;
        calm += seen[height]++;
    }
    std::cout << calm << "\n";
}
