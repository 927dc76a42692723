"""A proxy between the tool and a server, for tests.

usage: proxy.py UPSTREAM_PORT [--hold N:before|after] [--record FILE]

The first line printed is the port it listens on. Every request is passed on as it came. The N-th request is held
for good once, either before it is passed on or after the server answered it; "held" is printed then, and all later
requests pass. With --record, one line of JSON a request is appended: method, path, request body, status, answer.
"""

import argparse
import http.client
import json
import threading

import serving

parser = argparse.ArgumentParser()
parser.add_argument("upstream", type=int)
parser.add_argument("--hold", default="")
parser.add_argument("--record")
options = parser.parse_args()
hold_number, _, hold_moment = options.hold.partition(":")
lock = threading.Lock()
count = 0
HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


def hold(number, moment):
    if str(number) == hold_number and moment == hold_moment:
        print("held", flush=True)
        threading.Event().wait()


class Handler(serving.Handler):
    def answer(self, body):
        global count
        with lock:
            count += 1
            number = count
        hold(number, "before")
        upstream = http.client.HTTPConnection("127.0.0.1", options.upstream)
        upstream.request(self.command, self.path, body, dict(self.headers))
        answer = upstream.getresponse()
        content = answer.read()
        if options.record:
            entry = {
                "method": self.command,
                "path": self.path,
                "request": body.decode(),
                "status": answer.status,
                "answer": content.decode(),
            }
            with lock, open(options.record, "a") as file:
                file.write(json.dumps(entry) + "\n")
        hold(number, "after")
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


serving.serve(Handler)
