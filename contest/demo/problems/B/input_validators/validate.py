import re
import sys

lines = sys.stdin.read().split("\n")
number = "(0|-?[1-9][0-9]*)"
good = lines.pop() == "" and re.fullmatch(r"[1-9][0-9]{0,3}", lines[0]) and 2 <= int(lines[0]) <= 2000
good = good and len(lines) == int(lines[0]) + 1
for line in lines[1:]:
    good = good and re.fullmatch(f"{number} {number} {number}", line)
    good = good and all(abs(int(word)) <= 10**6 for word in line.split())
sys.exit(42 if good else 43)
