from django.apps import AppConfig


class RealtimeConfig(AppConfig):
    name = "realtime"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Subscribe to what happens in contests, and give pages what `contest.ports` asks for."""
        from django.conf import settings
        from django.db.models.signals import post_migrate

        from contest import events, ports
        from realtime.entry.attach import read_own_cursors
        from realtime.log import append as log
        from realtime.log import hints, layer_hints
        from realtime.node.overview import read_nodes
        from realtime.presence.rows import read_presence
        from realtime.receivers import contest as receivers
        from realtime.receivers import rights as rights_events
        from realtime.timer.own_time import read_own_times
        from realtime.timer.rows import read_own_time_ms

        post_migrate.connect(log.draw_epoch, sender=self, dispatch_uid="realtime.epoch")
        events.subscribe(receivers.receive)
        rights_events.connect()
        ports.provide_cursors(read_own_cursors)
        ports.provide_own_time(read_own_time_ms)
        ports.provide_own_times(read_own_times)
        ports.provide_presence(read_presence)
        ports.provide_nodes(read_nodes)
        if settings.FATHOM.redis_url:
            hints.send_to_others(layer_hints.LayerPublisher(settings.FATHOM.node_id))
