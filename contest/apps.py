from django.apps import AppConfig


class ContestConfig(AppConfig):
    name = "contest"
    default_auto_field = "django.db.models.BigAutoField"
