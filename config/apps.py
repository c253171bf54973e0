from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig


class CompositionConfig(AppConfig):
    """The composition root: settings, urls, asgi and the commands that need several apps at once."""

    name = "config"


class ServedStaticFilesConfig(StaticFilesConfig):
    """Collects what is served; the tests beside the browser modules stay at home."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "*.test.js", "tests"]
