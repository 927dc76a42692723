"""A server that wants to exhaust its client.

usage: hostile.py KIND

KIND says what every answer is: "endless" (10 GiB, in chunks), "announced" (10 GiB, announced), "deep" (100,000 arrays
inside each other), "callbacks" (1,000,000 of them), "values" (as many numbers as fit into 1 MiB), "arrays" (as many
empty arrays), "members" (as many members), "text" (one text of nearly 1 MiB), "escapes" (one of escapes), "fields"
(64 MiB of header fields), "interim" (interim answers without end), "steps" (a step for every answer, without end),
"drip" (a byte now and then). The first line printed is the port.
"""

import json
import sys
import time

import serving

KIND = sys.argv[1]
MEBIBYTE = 1 << 20


def filled(start, item, end):
    """A JSON text of just less than 1 MiB."""
    count = (MEBIBYTE - len(start) - len(end) - len(item)) // len(item)
    return start + item * count + item.rstrip(b",") + end


def members():
    text, number = bytearray(b'{"authId":"a","callbacks":[],"x":{'), 0
    while len(text) < MEBIBYTE - 32:
        text += b'"%x":0,' % number
        number += 1
    return bytes(text[:-1]) + b"}}"


HEAD = b'{"authId":"a","callbacks":['
BODIES = {
    "deep": lambda: HEAD + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    "callbacks": lambda: HEAD + b"{}," * 999_999 + b"{}]}",
    "values": lambda: filled(HEAD, b"0,", b"]}"),
    "arrays": lambda: filled(HEAD, b"[],", b"]}"),
    "members": members,
    "text": lambda: filled(b'{"authId":"', b"x", b'","callbacks":[]}'),
    "escapes": lambda: filled(b'{"authId":"', rb"\u20ac", b'","callbacks":[]}'),
    "steps": lambda: json.dumps(
        {
            "authId": "a",
            "callbacks": [
                {
                    "type": "TextOutputCallback",
                    "output": [{"name": "message", "value": "on"}, {"name": "messageType", "value": "0"}],
                }
            ],
        }
    ).encode(),
}
BODY = BODIES.get(KIND, lambda: b"{}")()
CHUNK = b"10000\r\n" + b" " * 65_536 + b"\r\n"


class Handler(serving.Handler):
    def answer(self, body):
        write = self.wfile.write
        if KIND == "interim":
            while True:
                write(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 100)
        if KIND == "fields":
            write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(1024):
                write(b"X-Field: " + b"x" * 65_536 + b"\r\n")
        self.send_response_only(200)
        if KIND == "endless":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(163_840):
                write(CHUNK)
        if KIND == "announced":
            self.send_header("Content-Length", str(10 << 30))
            self.end_headers()
            for _ in range(163_840):
                write(b" " * 65_536)
        self.send_header("Content-Length", "1000" if KIND == "drip" else str(len(BODY)))
        self.end_headers()
        if KIND == "drip":
            while True:
                write(b" ")
                time.sleep(0.1)
        write(BODY)


serving.serve(Handler)
