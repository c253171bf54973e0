"""Django settings, all derived from `config.environment`; docs/settings.md is the table for operators."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from config.environment import read_environment
from config.secrets import with_secrets

BASE_DIR = Path(__file__).resolve().parent.parent
FATHOM = with_secrets(read_environment(os.environ, BASE_DIR))

SECRET_KEY = FATHOM.secret_key
DEBUG = False
ALLOWED_HOSTS = list(FATHOM.allowed_hosts)
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "contest.User"

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "config.apps.ServedStaticFilesConfig",
    "channels",
    "axes",
    "csp",
    "contest",
    "judge",
    "realtime",
    "config.apps.CompositionConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "contest.middleware.PrivatePages",
    "contest.middleware.WatchedWrites",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "contest.middleware.NoZeroBytes",
    "contest.hashing.HashingInTurn",
    "contest.middleware.ViewerPreferences",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- Database -------------------------------------------------------------------------------------

POOL_MAX_SIZE = 16
POOL_WAIT_S = 5
"""For a free connection, or for a database that is away; then whoever asked is told to try again."""
POOL_RECONNECT_S = 2
"""How long one attempt to connect goes on, with pauses that double. The pool's own 5 min would leave the site
without a connection for as long again as the database was away; whoever asks next starts a fresh attempt."""


def _database() -> dict[str, Any]:
    if FATHOM.database_url:
        parsed: dict[str, Any] = dict(dj_database_url.parse(FATHOM.database_url))
        # A pooled connection may have died with a restart of the server; nobody should meet it first.
        parsed["CONN_HEALTH_CHECKS"] = True
        # A pool instead of CONN_MAX_AGE: threads come and go, connections stay.
        parsed["OPTIONS"] = {
            **parsed.get("OPTIONS", {}),
            "pool": {
                "min_size": 1,
                "max_size": POOL_MAX_SIZE,
                "timeout": POOL_WAIT_S,
                "reconnect_timeout": POOL_RECONNECT_S,
            },
        }
        return parsed
    return {
        "ENGINE": "config.fair_sqlite3",
        "NAME": FATHOM.data_dir / "fathom.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A deferred transaction that turns writer half-way fails at once with "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
        "TEST": {"NAME": FATHOM.data_dir / f"test-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.sqlite3"},
    }


DATABASES = {"default": _database()}

# --- Channels -------------------------------------------------------------------------------------

if FATHOM.redis_url:
    # redis-py 8 gives sockets a time-out and pools a limit by default: an idle process would lose a
    # consumer every 5 s and refuse over 100 connections.
    _REDIS_HOST = {"address": FATHOM.redis_url, "socket_timeout": None, "max_connections": 100_000}
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [_REDIS_HOST]},
        }
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# --- People, sessions, limits on sign-in ----------------------------------------------------------

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["contest.hashing.BoundedPBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
CSRF_FAILURE_VIEW = "contest.views.errors.csrf_failure"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

# A class room shares one address: the lock is for a name from an address, not for the address.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.1  # hours
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # or whoever goes on guessing locks a name for ever
AXES_WHITELIST_CALLABLE = "contest.known_browsers.may_try"
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_DISABLE_ACCESS_LOG = True  # a row for each sign-in, which nobody reads or deletes
AXES_VERBOSE = False

# --- Security -------------------------------------------------------------------------------------

SECURE_SSL_REDIRECT = FATHOM.https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SESSION_COOKIE_SECURE = FATHOM.https
CSRF_COOKIE_SECURE = FATHOM.https
SECURE_HSTS_SECONDS = 31_536_000 if FATHOM.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = FATHOM.https
SECURE_HSTS_PRELOAD = FATHOM.https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if FATHOM.https and FATHOM.trusted_proxies else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if FATHOM.is_loopback_only:
    # No other machine can reach the site, so there is nothing for TLS to protect.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = None
SOURCE_LIMIT_BYTES = 256 * 1024
SUBMISSIONS_PER_MIN = FATHOM.submissions_per_min

# --- Files ----------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "build" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# No default storage: everything that people upload goes into the database.
STORAGES = {"staticfiles": {"BACKEND": "config.staticfiles.HashedStaticFiles"}}

# --- Language and time ----------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]  # those with a complete catalogue; half a translation is worse than none
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Logs -----------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.log_lines.TextLines", "node": FATHOM.node_id},
        "json": {"()": "config.log_lines.JsonLines", "node": FATHOM.node_id},
    },
    "filters": {"calm": {"()": "config.log_lines.Calm"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": FATHOM.log, "filters": ["calm"]}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        # Logs a traceback a second while Redis is away; realtime.log.hints says it once, in words.
        "channels_redis.pubsub": {"level": "CRITICAL"},
        "axes": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
    },
}
