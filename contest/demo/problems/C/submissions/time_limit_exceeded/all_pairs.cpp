// Looks at every stretch.
#include <iostream>
#include <string>

int main() {
    std::string notes;
    std::cin >> notes;
    long long calm = 0;
    for (std::size_t begin = 0; begin < notes.size(); ++begin) {
        int height = 0;
        for (std::size_t end = begin; end < notes.size(); ++end) {
            height += notes[end] == 'U' ? 1 : -1;
            calm += height == 0;
        }
    }
    std::cout << calm << "\n";
}
