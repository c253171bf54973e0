# Finds each root by steps of a billionth.
points = [tuple(map(int, input().split())) for _ in range(int(input()))]
length = 0.0
for a, b in zip(points, points[1:]):
    square, steps = sum((p - q) ** 2 for p, q in zip(a, b)), 0
    while (steps * 1e-9) ** 2 < square:
        steps += 1
    length += steps * 1e-9
print(length)
