from django.apps import AppConfig


class JudgeConfig(AppConfig):
    name = "judge"
    verbose_name = "Judge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell the pages which languages can be judged."""
        from contest.ports import provide_languages
        from judge.offer import offered_languages

        provide_languages(offered_languages)
