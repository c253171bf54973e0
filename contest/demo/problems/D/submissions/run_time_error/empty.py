# Takes the last of the even numbers, of which one light has none.
n = int(input())
even, odd = list(range(2, n + 1, 2)), list(range(1, n + 1, 2))
print("impossible" if even[-1] in (2,) else " ".join(map(str, even + odd)))
