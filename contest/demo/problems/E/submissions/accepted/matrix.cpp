// w(n) = w(n-1) + w(n-3), by squaring the matrix of this rule.
#include <array>
#include <iostream>

using Matrix = std::array<std::array<long long, 3>, 3>;
constexpr long long MODULUS = 1'000'000'007;

Matrix times(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j)
                c[i][j] = (c[i][j] + a[i][k] * b[k][j]) % MODULUS;
    return c;
}

int main() {
    long long n;
    std::cin >> n;
    Matrix result{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Matrix power{{{1, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    for (; n > 0; n /= 2) {
        if (n % 2 == 1)
            result = times(result, power);
        power = times(power, power);
    }
    std::cout << (result[0][0] + result[0][1]) % MODULUS << "\n";
}
