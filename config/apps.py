from django.apps import AppConfig


class CompositionConfig(AppConfig):
    """The composition root: settings, urls, asgi and the commands that need several apps at once."""

    name = "config"
