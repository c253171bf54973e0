# Solves subtask 1.
def ways(n, tired):
    if n < 2:
        return 1
    return ways(n - 1, False) + (0 if tired else ways(n - 2, True))


print(ways(int(input()), False) % (10**9 + 7))
