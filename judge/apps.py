from django.apps import AppConfig


class JudgeConfig(AppConfig):
    name = "judge"
    verbose_name = "Judge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tells the pages which languages can be judged, and by how many; and the judges when something is queued."""
        from contest.events import subscribe
        from contest.ports import provide_judges, provide_languages
        from judge.nodes import count_heard
        from judge.offer import offered_languages
        from judge.waking import notify_judges

        provide_languages(offered_languages)
        provide_judges(count_heard)
        subscribe(notify_judges)
