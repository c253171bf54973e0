"""Load against a real server: scenarios, peers to compare with, and reports. `python -m bench --help`.

Knows the product by its contract only (sockets, forms, commands, and rows where a number must be
checked against what was stored), never by its modules.
"""
