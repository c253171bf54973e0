import re
import sys

text = sys.stdin.read()
sys.exit(42 if re.fullmatch(r"[1-9][0-9]{0,4}\n", text) and int(text) <= 50_000 else 43)
