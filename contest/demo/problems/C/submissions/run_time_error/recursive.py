# Recurses once an hour, deeper than Python allows.
from collections import Counter

notes = input()
seen = Counter([0])


def walk(hour, height):
    if hour == len(notes):
        return 0
    height += 1 if notes[hour] == "U" else -1
    seen[height] += 1
    return seen[height] - 1 + walk(hour + 1, height)


print(walk(0, 0))
