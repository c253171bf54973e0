# Walks from a towards the sum one by one.
a, b = map(int, input().split())
step = 1 if b > 0 else -1
while b != 0:
    a += step
    b -= step
print(a)
