import re
import sys

text = sys.stdin.read()
good = re.fullmatch(r"(0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)\n", text)
sys.exit(42 if good and all(abs(int(word)) <= 10**18 for word in text.split()) else 43)
