# Loses the signs of the differences before the root is taken.
from math import sqrt

points = [tuple(map(int, input().split())) for _ in range(int(input()))]
print(sum(sqrt(sum(p - q for p, q in zip(a, b))) for a, b in zip(points, points[1:])))
