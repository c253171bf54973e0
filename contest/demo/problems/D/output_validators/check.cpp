// Accepts any order of the brightnesses 1..n in which no neighbours differ by exactly 1.
//
// Called as: check input answer feedback_dir < output. Ends with 42 for right and 43 for wrong, and says why in
// judgemessage.txt. The answer file says “impossible” or holds something else.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static std::string feedback_dir;

static void finish(int status, const std::string& message) {
    std::ofstream(feedback_dir + "judgemessage.txt") << message << "\n";
    std::exit(status);
}

static void accept(const std::string& message) { finish(42, message); }
static void reject(const std::string& message) { finish(43, message); }

// A whole number from 1 to n, without signs or anything after it; 0 if the word is anything else.
static long brightness(const std::string& word, long n) {
    if (word.empty() || word.size() > 6)
        return 0;
    for (char sign : word)
        if (sign < '0' || sign > '9')
            return 0;
    long value = std::atol(word.c_str());
    return value <= n ? value : 0;
}

static void check_end() {
    std::string more;
    if (std::cin >> more)
        reject("There is more output than the answer.");
}

static void check_order(long n, std::string word) {
    std::vector<bool> used(n + 1);
    long last = 0;
    for (long place = 1; place <= n; ++place) {
        if (place > 1 && !(std::cin >> word))
            reject("The output ends before light " + std::to_string(place) + ".");
        long value = brightness(word, n);
        if (value == 0)
            reject("Light " + std::to_string(place) + " has no brightness from 1 to n.");
        if (used[value])
            reject("Brightness " + std::to_string(value) + " is given twice.");
        if (place > 1 && std::labs(value - last) == 1)
            reject("Lights " + std::to_string(place - 1) + " and " + std::to_string(place) + " differ by 1.");
        used[value] = true;
        last = value;
    }
}

int main(int count, char** arguments) {
    if (count < 4)
        return 1;
    feedback_dir = std::string(arguments[3]) + "/";
    std::ifstream input(arguments[1]), answer(arguments[2]);
    long n;
    std::string expected, word;
    if (!(input >> n) || !(answer >> expected))
        return 1;
    if (!(std::cin >> word))
        reject("The output is empty.");
    if (word == "impossible") {
        check_end();
        if (expected != "impossible")
            reject("There is an order.");
        accept("There is none, and the output says so.");
    }
    check_order(n, word);
    check_end();
    if (expected == "impossible")
        return 1;  // The answer file is wrong: a matter for the jury.
    accept("The order is right.");
}
