import re
import sys

sys.exit(42 if re.fullmatch(r"[UD]{1,200000}\n", sys.stdin.read()) else 43)
