"""All addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("contest.urls")),
    path("admin/", admin.site.urls),
    path("", include("realtime.urls")),
]

handler400 = "contest.views.errors.bad_request"
handler403 = "contest.views.errors.forbidden"
handler404 = "contest.views.errors.not_found"
handler500 = "contest.views.errors.server_error"
