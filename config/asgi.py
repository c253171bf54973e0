"""The ASGI application: pages by Django, live streams by realtime."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

pages = get_asgi_application()  # sets Django up, so it comes before what imports models

from config.body_limit import BodyLimit  # noqa: E402
from config.staticfiles import with_static_files  # noqa: E402
from config.visitors import visitor_id  # noqa: E402
from realtime.routing import WithFallback  # noqa: E402
from realtime.routing import application as streams  # noqa: E402

http = with_static_files(WithFallback(BodyLimit(pages, visitor_id)))

application = ProtocolTypeRouter({"http": http, "websocket": streams})  # type: ignore[no-untyped-call]
