# Forgets the modulus, which begins to matter in subtask 2.
n = int(input())
a, b, c = 0, 1, 1
for _ in range(min(n, 100)):
    a, b, c = b, c, c + a
print(c)
