"""What the servers beside this file share: they read requests whole, and listen on a port of their own."""

import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    """Reads a request and hands its body to `answer`, which a subclass has."""

    protocol_version = "HTTP/1.1"

    def take(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_GET = do_POST = do_PUT = do_DELETE = take

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        # A client that had enough, or was killed in the middle of an exchange: that is what these tests do.
        pass


def serve(handler):
    """Prints the port, and serves until the process ends."""
    server = Server(("127.0.0.1", 0), handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
