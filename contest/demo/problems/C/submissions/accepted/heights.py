# Stretches between equal heights are calm.
from collections import Counter

height, calm, seen = 0, 0, Counter([0])
for letter in input():
    height += 1 if letter == "U" else -1
    calm += seen[height]
    seen[height] += 1
print(calm)
