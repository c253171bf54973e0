"""Pages: each asks for rights, a selector or a service, and renders. No rule of a contest is decided here."""
