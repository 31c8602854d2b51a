"""A service on loopback that gives scripted answers and records its requests."""

import json
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gleaner

KEY = "gln_secret"
RUN = {
    "run_id": "run_1",
    "run_status": "succeeded",
    "task_key": "a.b",
    "title": "x",
    "created_at": "2026-11-23T10:00:00.000Z",
    "started_at": None,
    "finished_at": None,
    "expires_at": None,
    "attempt": 1,
    "progress": {"done": 1, "total": None, "message": None},
    "credits": {"charged": 1, "refunded": 0},
    "usage": {"requests": 2, "bytes": 4000},
    "items": 1,
    "result": {"items": [{"n": 1}], "next_cursor": None},
    "artifacts": [],
    "error": None,
    "links": {"self": "", "events": "", "cancel": ""},
}
TASK = {"path": "/v1/a/b", "input_schema": {"properties": {"cursor": {}, "page": {}}}}
CUT = object()
"""Closes the connection without an answer."""


def run(**fields):
    return {**RUN, **fields}


def problem(status, code, **fields):
    return status, {"code": code, "detail": code, **fields}


class Fake:
    """Gives its answers in order. Each is JSON for 200, a status with JSON, CUT, or a function of the handler."""

    def __init__(self, *answers):
        self.asked = []
        self.answers = list(answers)
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers["Content-Length"] or 0)
                body = self.rfile.read(length)
                fake.asked.append((self.command, self.path, json.loads(body) if body else None, self.headers))
                answer = fake.answers.pop(0) if fake.answers else (400, {"code": "not-told", "detail": self.path})
                self.close_connection = True
                if answer is CUT:
                    return
                if callable(answer):
                    answer(self)
                    return
                status, content = answer if isinstance(answer, tuple) else (200, answer)
                send(self, status, json.dumps(content).encode())

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                # Clients that disconnect are part of the tests.
                if not isinstance(sys.exc_info()[1], ConnectionError):
                    super().handle_error(request, client_address)

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def client(self, **options):
        return gleaner.Gleaner(self.url, KEY, **options)

    def calls(self):
        return [f"{method} {path}" for method, path, _, _ in self.asked]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def send(handler, status, content, headers=(), length=None):
    """Sends an answer. A `length` larger than the content makes it a truncated one."""
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def chunked(handler, content, whole=True, headers=()):
    """Sends an answer in chunks. Unless it is `whole`, the last chunk is missing."""
    handler.send_response(200)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    size = 3 if len(content) < 1000 else 1000
    for start in range(0, len(content), size):
        part = content[start : start + size]
        handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
    if whole:
        handler.wfile.write(b"0\r\n\r\n")


class Case(unittest.TestCase):
    """A test case with an assertion for the client's errors."""

    def refused(self, code, call, *args, **options):
        with self.assertRaises(gleaner.GleanerError) as raised:
            call(*args, **options)
        self.assertEqual(raised.exception.code, code)
        return raised.exception
