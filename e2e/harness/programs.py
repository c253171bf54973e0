"""Programs for demo problem A (read two integers, print their sum), one for each verdict."""

RIGHT = """#include <iostream>
int main() { long long a, b; std::cin >> a >> b; std::cout << a + b << "\\n"; }
"""
WRONG = RIGHT.replace("a + b", "a - b")
TOO_SLOW = "int main() { for (volatile int i = 0;;) i = i + 1; }\n"
CRASHING = "int main() { volatile int *p = nullptr; return *p; }\n"
NOT_COMPILING = "int main() { return }\n"

BY_VERDICT = {"AC": RIGHT, "WA": WRONG, "TLE": TOO_SLOW, "RE": CRASHING, "CE": NOT_COMPILING}
