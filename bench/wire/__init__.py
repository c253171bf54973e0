"""The load generator: many WebSocket clients in one thread, raw sockets over epoll."""
