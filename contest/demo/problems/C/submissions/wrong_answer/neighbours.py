# Counts only the stretches of two hours.
notes = input()
print(sum(a != b for a, b in zip(notes, notes[1:])))
