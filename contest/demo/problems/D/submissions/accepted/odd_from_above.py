# Another order than the other solution's: odd numbers from above, then even ones from above.
n = int(input())
odd = list(range(n - (n + 1) % 2, 0, -2))
even = list(range(n - n % 2, 0, -2))
print("impossible" if n in (2, 3) else "\n".join(map(str, odd + even)))
