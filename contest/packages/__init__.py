"""Problem packages: from an archive of a stranger to one frozen description, without any framework.

`reading.open_package` is the door. What it gives is believed by the rest of the site, so everything is checked
here: the archive (`archive/`), its YAML (`safe_yaml`), and the format (`kattis/`). Nothing is stored or
judged here.
"""
