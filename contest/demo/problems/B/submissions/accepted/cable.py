from math import dist

points = [tuple(map(int, input().split())) for _ in range(int(input()))]
print(sum(dist(a, b) for a, b in zip(points, points[1:])))
