static int down(int n) { volatile char frame[1024]; frame[n % 1024] = 1; return down(n + 1) + frame[n % 1024]; }
int main(void) { return down(0); }
