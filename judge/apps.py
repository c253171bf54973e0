from django.apps import AppConfig


class JudgeConfig(AppConfig):
    name = "judge"
    default_auto_field = "django.db.models.BigAutoField"
