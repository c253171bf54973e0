"""The delivery layer: what happens in a contest reaches every page that may see it, in order and without loss.

`wire` is the pure protocol. `log` holds what happened, `receivers` write it there inside the
transaction of the change. `hub` turns it into frames for connections, each a cursor with a credit.
`entry` decides who may follow what. `timer` counts foreground time. `node` is one process with all
its connections, and `consumers` are the five streams over one base.
"""
