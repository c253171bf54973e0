# Looks at every stretch.
notes = [1 if letter == "U" else -1 for letter in input()]
calm = 0
for begin in range(len(notes)):
    height = 0
    for end in range(begin, len(notes)):
        height += notes[end]
        calm += height == 0
print(calm)
