from django.apps import AppConfig
from django.contrib.auth.signals import user_login_failed


class ContestConfig(AppConfig):
    name = "contest"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from contest.known_browsers import count_failure

        user_login_failed.connect(count_failure, dispatch_uid="contest.known_browsers")
