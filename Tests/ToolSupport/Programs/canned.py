"""A server that gives the answers of a file, in order, whatever is asked.

usage: canned.py ANSWERS RECORD

ANSWERS is a JSON array of {"status", "body" (JSON or text), "fields" (optional object), "delay" (seconds, optional),
"until" (optional: a path; the answer waits until something is there), "repeat" (optional: this answer is given from now
on), "cut" (optional: the connection ends before the announced body does)}. The first line printed is the port. One line of JSON a request
is appended to RECORD: method, path with query, header fields, body. A request past the last answer gets status 500.
"""

import json
import os
import sys
import threading
import time

import serving

with open(sys.argv[1]) as file:
    answers = json.load(file)
record = sys.argv[2]
lock = threading.Lock()


class Handler(serving.Handler):
    def answer(self, body):
        entry = {
            "method": self.command,
            "path": self.path,
            "fields": dict(self.headers),
            "body": body.decode(errors="replace"),
        }
        with lock, open(record, "a") as file:
            file.write(json.dumps(entry) + "\n")
        with lock:
            answer = (answers[0] if answers[0].get("repeat") else answers.pop(0)) if answers else {"status": 500}
        time.sleep(answer.get("delay", 0))
        while "until" in answer and not os.path.exists(answer["until"]):
            time.sleep(0.01)
        content = answer.get("body", "")
        content = content if isinstance(content, str) else json.dumps(content)
        content = content.encode()
        self.send_response_only(answer.get("status", 200))
        self.send_header("Content-Type", "application/json")
        for name, value in answer.get("fields", {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) + (100 if answer.get("cut") else 0)))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = bool(answer.get("cut"))


serving.serve(Handler)
