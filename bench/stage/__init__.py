"""What a scenario is played on: the machine's cores, a site or a peer as a process, its people and its rows."""
