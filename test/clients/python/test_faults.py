"""The client when the service, the network or its user does something wrong."""

import http.client
import io
import json
import os
import socket
import tempfile
import time
import unittest
from unittest import mock

import gleaner
from fake import CUT, KEY, RUN, TASK, Case, Fake, chunked, problem, run, send

NOW = mock.patch("gleaner.time.sleep")


def cut_headers(*lines):
    """An answer whose connection breaks within its headers, after the given lines."""

    def answer(handler):
        handler.wfile.write("\r\n".join(["HTTP/1.1 200 OK", *lines]).encode())

    return answer


def slept(sleep):
    return [call.args[0] for call in sleep.call_args_list if call.args[0] > 0]


class Retries(Case):
    @NOW
    def test_a_start_whose_answer_was_lost_is_repeated_with_the_same_key_and_body(self, _):
        with Fake(TASK, CUT, problem(503, "store-unavailable"), (409, {"code": "idempotency-in-progress"}), RUN) as fake:
            self.assertEqual(fake.client().start("a.b", {"query": "ö"}).run_id, "run_1")
        starts = fake.asked[1:]
        self.assertEqual([body for _, _, body, _ in starts], [{"query": "ö"}] * 4)
        keys = {headers["Idempotency-Key"] for _, _, _, headers in starts}
        self.assertEqual([len(keys), len(keys.pop())], [1, 36])

    @NOW
    def test_idempotency_keys_are_those_of_the_caller_or_else_new_for_each_call(self, _):
        with Fake(TASK, RUN, RUN, RUN) as fake:
            client = fake.client()
            client.start("a.b", {}, idempotency_key="mine")
            client.start("a.b", {})
            client.start("a.b", {})
            self.refused("bad-idempotency-key", client.start, "a.b", {}, idempotency_key="a\nb")
        keys = [headers["Idempotency-Key"] for _, _, _, headers in fake.asked[1:]]
        self.assertEqual((keys[0], len(set(keys))), ("mine", 3))

    @NOW
    def test_a_connection_that_breaks_within_the_headers_is_lost(self, _):
        cuts = [cut_headers(), cut_headers(""), cut_headers("Content-Type: application/json", "Conte")]
        with Fake(TASK, *cuts, RUN) as fake:
            self.assertEqual(fake.client().start("a.b", {}).run_id, "run_1")
        self.assertEqual(len({headers["Idempotency-Key"] for _, _, _, headers in fake.asked[1:]}), 1)
        with Fake(*cuts, {"balance": 1}) as fake:
            self.assertEqual(fake.client().account.get(), {"balance": 1})
        with Fake(*cuts[:1]) as fake:
            self.refused("connection-failed", fake.client().webhooks.rotate_secret, "whk_1")

    def test_a_field_of_the_path_without_a_value_is_missing(self):
        for empty in (None, ""):
            with Fake({**TASK, "path": "/v1/a/:name/hot"}) as fake:
                error = self.refused("validation-failed", fake.client().start, "a.b", {"name": empty})
            self.assertEqual([one["pointer"] for one in error.errors], ["/name"])
            self.assertEqual(len(fake.asked), 1)

    def test_the_error_of_an_abandoned_start_has_its_idempotency_key(self):
        with Fake(TASK, CUT, TASK, problem(503, "shutting-down", retry_after_s=5)) as fake:
            error = self.refused("connection-failed", fake.client(retry_for_s=0).start, "a.b", {})
            self.assertEqual(error.idempotency_key, fake.asked[1][3]["Idempotency-Key"])
            error = self.refused("timeout", fake.client().run, "a.b", {}, timeout_s=2, idempotency_key="mine")
        self.assertEqual(error.idempotency_key, "mine")

    @NOW
    def test_a_call_without_a_key_is_repeated_only_when_nothing_was_done(self, sleep):
        rotated = {"secret": "whsec_new"}
        with Fake(problem(429, "rate-limited", retry_after_s=7), problem(503, "shutting-down"), rotated) as fake:
            self.assertEqual(fake.client().webhooks.rotate_secret("whk_1"), rotated)
        self.assertEqual(len(fake.asked), 3)
        self.assertEqual(slept(sleep)[0], 7)
        for lost in (CUT, problem(503, "store-unavailable"), (502, None)):
            with Fake(lost) as fake:
                with self.assertRaises(gleaner.GleanerError):
                    fake.client().webhooks.rotate_secret("whk_1")
            self.assertEqual(len(fake.asked), 1)

    @NOW
    def test_a_creating_call_is_repeated_with_its_key_so_that_nothing_is_created_twice(self, _):
        calls = {
            "/admin/create-key": lambda client, **key: client.keys.create(name="ci", **key),
            "/v1/webhooks": lambda client, **key: client.webhooks.create("https://x", **key),
            "/v1/logins/microblog": lambda client, **key: client.logins.start("microblog", **key),
            "/admin/accounts": lambda client, **key: client.operator.open_account("x", **key),
        }
        lost = [CUT, problem(503, "store-unavailable"), (502, None), problem(429, "rate-limited")]
        for path, create in calls.items():
            with Fake(*lost, (201, {}), (201, {}), CUT, (201, {})) as fake:
                create(fake.client())
                create(fake.client())
                create(fake.client(), idempotency_key="mine")
            self.assertEqual(fake.calls(), [f"POST {path}"] * 8)
            keys = [headers["Idempotency-Key"] for _, _, _, headers in fake.asked]
            self.assertEqual([len(set(keys[:5])), len(set(keys[4:6])), keys[6:]], [1, 2, ["mine", "mine"]])
            with Fake(problem(403, "account-suspended")) as fake:
                error = self.refused("account-suspended", create, fake.client(), idempotency_key="mine")
            self.assertEqual(error.idempotency_key, "mine")

    @NOW
    def test_retry_after_is_obeyed_as_seconds_or_a_date_and_ends_the_retries_when_too_long(self, sleep):
        def later(handler):
            send(handler, 503, b"<html>", [("Retry-After", "Fri, 01 Jan 2100 00:00:00 GMT")])

        def soon(handler):
            send(handler, 503, b"<html>", [("Retry-After", "9")])

        with Fake(soon, problem(429, "rate-limited", retry_after_s=61)) as fake:
            error = self.refused("rate-limited", fake.client().account.get)
        self.assertEqual((error.status, error.retry_after_s, slept(sleep)), (429, 61, [9]))
        with Fake(later) as fake:
            error = self.refused("unexpected-answer", fake.client().account.get)
        self.assertGreater(error.retry_after_s, 1e9)

    def test_a_service_that_stays_away_is_an_error_after_retry_for_s(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            client = gleaner.Gleaner(f"http://127.0.0.1:{taken.getsockname()[1]}", KEY, retry_for_s=0.3)
            error = self.refused("connection-failed", client.account.get)
        self.assertIsNone(error.status)
        self.assertIn("refused", str(error))

    def test_a_service_that_never_answers_is_an_error_after_timeout_s(self):
        silent = lambda handler: handler.rfile.read(1)
        with Fake(silent) as fake:
            error = self.refused("connection-failed", fake.client(timeout_s=0.1, retry_for_s=0).account.get)
        self.assertIn("timed out", str(error))

    def test_the_service_may_hold_its_answer_for_an_endpoint_a_replay_and_the_end_of_a_run(self):
        def late(handler):
            time.sleep(0.3)
            send(handler, 200, b"{}")

        with Fake(late, late, late, late) as fake:
            client = fake.client(timeout_s=0.1, retry_for_s=0)
            client.webhooks.test("whk_1")
            client.webhooks.replay("whk_1", event_id="evt_1")
            client.request("POST", "/v1/encyclopedia/search", body={"query": "otter", "_run": {"async": False}})
            client.request("GET", "/v1/runs/run_1", query={"wait": 30})
            self.assertEqual(len(fake.asked), 4)

    @NOW
    def test_request_repeats_a_post_only_with_an_idempotency_key(self, _):
        with Fake(CUT, RUN, CUT) as fake:
            post = fake.client().request
            self.assertEqual(post("POST", "/v1/a/b", body={}, idempotency_key="k"), RUN)
            self.assertEqual([headers["Idempotency-Key"] for _, _, _, headers in fake.asked], ["k", "k"])
            self.refused("connection-failed", post, "POST", "/v1/a/b", body={})
            self.assertEqual(len(fake.asked), 3)

    @NOW
    def test_a_truncated_answer_is_requested_again(self, _):
        def broken(handler):
            send(handler, 200, b'{"name": "x"', length=99)

        with Fake(broken, lambda handler: chunked(handler, b'{"name"', whole=False), {"name": "x"}) as fake:
            self.assertEqual(fake.client().account.get(), {"name": "x"})

    @NOW
    def test_a_cancellation_whose_answer_was_lost_is_no_error_when_it_was_done(self, _):
        finished = problem(409, "run-finished")
        with Fake(CUT, finished, run(run_status="cancelled")) as fake:
            self.assertEqual(fake.client().runs.cancel("run_1").run_status, "cancelled")
        with Fake(CUT, finished, RUN) as fake:
            self.refused("run-finished", fake.client().runs.cancel, "run_1")

    @NOW
    def test_a_deletion_whose_answer_was_lost_is_no_error_when_it_was_done(self, _):
        missing = problem(404, "not-found")
        with Fake(CUT, missing) as fake:
            fake.client().webhooks.delete("wh_1")
        self.assertEqual(fake.calls(), ["DELETE /v1/webhooks/wh_1"] * 2)
        with Fake(missing) as fake:
            self.refused("not-found", fake.client().webhooks.delete, "wh_1")


class Answers(Case):
    def test_a_redirect_is_not_followed_and_the_key_is_not_sent_elsewhere(self):
        with Fake() as other:
            moved = [("Location", f"{other.url}/v1/account")]
            with Fake(lambda handler: send(handler, 302, b"", moved)) as fake:
                error = self.refused("unexpected-answer", fake.client().account.get)
        self.assertEqual((error.status, other.asked), (302, []))

    def test_an_answer_of_another_service_is_an_error(self):
        for content in (b"<html>", b"[]", b'"text"', b"\xff", b"", b"[" * 100_000, b'{"code": "x", "detail": null}'):
            with Fake(lambda handler, content=content: send(handler, 403, content)) as fake:
                error = self.refused("unexpected-answer", fake.client().account.get)
            self.assertEqual(error.status, 403)
        for answer in (lambda handler: send(handler, 200, b"<html>"), {}, []):
            with Fake(answer, answer, answer, answer) as fake:
                client = fake.client()
                self.refused("unexpected-answer", client.start, "a.b", {})
                self.refused("unexpected-answer", client.runs.get, "run_1")
                self.refused("unexpected-answer", client.tasks.list)
                self.refused("unexpected-answer", list, client.account.ledger())

    def test_the_error_of_a_problem_has_its_fields_and_a_full_text(self):
        errors = [{"pointer": "/limit", "code": "out-of-range", "detail": "must be less"}]
        sent = problem(422, "validation-failed", request_id="req_1", errors=errors, title="Invalid")
        with Fake(sent) as fake:
            error = self.refused("validation-failed", fake.client().account.get)
        self.assertEqual((error.status, error.errors, error.title), (422, errors, "Invalid"))
        self.assertEqual(str(error), "validation-failed (validation-failed, req_1)")
        self.assertNotIn(KEY, repr(error) + str(error.__dict__))

    def test_invalid_arguments_are_refused_without_showing_the_key(self):
        for url in ("gleaner.example.com", "ftp://gleaner", "https://", "https://gleaner?x=1", "http://a:b@gleaner", "http://g:x"):
            with self.assertRaises(ValueError) as raised:
                gleaner.Gleaner(url, KEY)
            self.assertNotIn("a:b", str(raised.exception))
        for key in ("", "gln_secret\n", "gln secret", "gln_sécret"):
            with self.assertRaises(ValueError) as raised:
                gleaner.Gleaner("https://gleaner", key)
            self.assertNotIn("gln", str(raised.exception))

    def test_a_proxy_is_taken_from_the_environment(self):
        with Fake({"name": "by proxy"}) as fake:
            with mock.patch.dict(os.environ, {"http_proxy": fake.url, "no_proxy": ""}):
                client = gleaner.Gleaner("http://gleaner.invalid", KEY)
            self.assertEqual(client.account.get(), {"name": "by proxy"})
        self.assertEqual(fake.calls(), ["GET http://gleaner.invalid/v1/account"])

    def test_an_invalid_path_is_refused_without_a_request(self):
        with Fake() as fake:
            with self.assertRaises(http.client.InvalidURL):
                fake.client().request("GET", "/v1/a b")
        self.assertEqual(fake.asked, [])

    def test_parts_of_paths_and_queries_are_quoted(self):
        with Fake(RUN, {"deliveries": [], "next_cursor": None}) as fake:
            client = gleaner.Gleaner(f"{fake.url}/prefix/", KEY)
            client.runs.get("../a b?c")
            list(client.webhooks.deliveries("wh/1", state="failed"))
        self.assertEqual(
            fake.calls(),
            ["GET /prefix/v1/runs/..%2Fa%20b%3Fc", "GET /prefix/v1/webhooks/wh%2F1/deliveries?state=failed"],
        )


class Waiting(Case):
    @NOW
    @mock.patch("gleaner.random.uniform", side_effect=lambda low, high: (low, high))
    def test_polling_follows_the_documented_delays(self, uniform, sleep):
        uniform.side_effect = lambda low, high: low
        running = run(run_status="running")
        unknown = run(run_status="some-new-status")
        with Fake(*[running] * 5, unknown, run(run_status="canceled")) as fake:
            self.assertTrue(fake.client().runs.wait("run_1", poll=True).is_terminal)
        self.assertEqual([round(s, 3) for s in slept(sleep)], [2.7, 5.4, 10.8, 21.6, 27, 27, 27])
        self.assertEqual({call.args for call in uniform.call_args_list}, {(0.9, 1.1)})
        self.assertEqual(set(fake.calls()), {"GET /v1/runs/run_1"})

    @NOW
    def test_a_service_that_does_not_delay_its_answer_is_not_polled_in_a_busy_loop(self, sleep):
        running = run(run_status="running")
        with Fake(running, running, RUN) as fake:
            fake.client().runs.wait("run_1")
        self.assertEqual(fake.calls(), ["GET /v1/runs/run_1?wait=30"] * 3)
        self.assertGreater(min(slept(sleep)), 0.5)

    def test_a_timeout_is_an_error_that_names_the_run_also_while_the_service_is_unavailable(self):
        away = problem(503, "shutting-down", retry_after_s=5)
        with Fake(run(run_status="running"), away, away) as fake:
            error = self.refused("timeout", fake.client().runs.wait, "run_1", timeout_s=0.1)
            self.assertEqual(error.run_id, "run_1")
            error = self.refused("timeout", fake.client().run, "a.b", {}, timeout_s=0.1)
            self.assertIsNone(error.run_id)

    @NOW
    def test_progress_is_reported_when_it_changes(self, _):
        def at(done, **more):
            return run(progress={"done": done, "total": 2, "message": None}, **more)

        queued = run(run_status="queued", progress={"done": 0, "total": None, "message": None})
        told = []
        with Fake(queued, at(1, run_status="running"), at(1, run_status="running"), at(2)) as fake:
            fake.client().runs.wait("run_1", on_progress=lambda progress: told.append(progress["done"]))
        self.assertEqual(told, [1, 2])

    def test_an_unsuccessful_run_is_raised_with_its_items(self):
        error = {"code": "source-blocked", "title": "Blocked", "detail": "captcha"}
        for ended, code in (
            (run(run_status="failed", error=error), "source-blocked"),
            (run(run_status="cancelled", error=None), "cancelled"),
        ):
            with Fake(TASK, ended) as fake:
                failed = self.refused(code, fake.client().run, "a.b", {})
            self.assertIsInstance(failed, gleaner.RunFailed)
            items = failed.run.items()
            self.assertEqual((next(items), failed.run_id), ({"n": 1}, "run_1"))
            self.assertEqual(self.refused(code, next, items).run, failed.run)

    def test_a_deleted_result_is_an_error_and_not_an_empty_list(self):
        with Fake(run(result={"expired_at": "2026-12-23T10:00:00Z"})) as fake:
            self.refused("result-expired", list, fake.client().runs.get("run_1").items())


class Pages(Case):
    def test_each_page_is_a_run_with_its_own_key_started_when_needed(self):
        first = run(result={"items": [1, 2], "next_cursor": "2"})
        with Fake(TASK, first, run(result={"items": [3], "next_cursor": None})) as fake:
            items = fake.client().items("a.b", {"query": "x", "page": 1}, idempotency_key="k")
            self.assertEqual([next(items), next(items), len(fake.asked)], [1, 2, 2])
            self.assertEqual(list(items), [3])
        starts = [(body, headers["Idempotency-Key"]) for _, _, body, headers in fake.asked[1:]]
        self.assertEqual(starts[0], ({"query": "x", "page": 1}, "k"))
        self.assertEqual(starts[1], ({"query": "x", "cursor": "2"}, "k/2"))

    def test_a_page_whose_run_failed_in_an_earlier_call_with_the_same_key_is_run_again_and_no_other(self):
        failed = run(run_status="failed", error={"code": "source-blocked", "title": "", "detail": ""})
        first = run(result={"items": [1], "next_cursor": "2"})

        def earlier(content):
            replayed = [("Idempotency-Replayed", "true")]
            return lambda handler: send(handler, 200, json.dumps(content).encode(), replayed)

        with Fake(TASK, earlier(first), earlier(failed), earlier(failed), failed) as fake:
            pages = fake.client().pages("a.b", {}, idempotency_key="k")
            next(pages)
            self.refused("source-blocked", next, pages)
        keys = [headers["Idempotency-Key"] for _, _, _, headers in fake.asked[1:]]
        self.assertEqual(keys, ["k", "k/2", "k/2~2", "k/2~3"])

    def test_pages_refuse_a_key_that_has_no_room_for_page_numbers_before_anything_is_paid(self):
        with Fake(TASK) as fake:
            with self.assertRaisesRegex(gleaner.GleanerError, "at most 245 characters") as raised:
                next(fake.client().pages("a.b", {}, idempotency_key="k" * 246))
        self.assertEqual((raised.exception.code, fake.asked), ("bad-idempotency-key", []))

    def test_pages_end_after_max_pages_or_at_a_repeated_cursor_or_when_the_task_takes_no_cursor(self):
        more = run(result={"items": [1], "next_cursor": "2"})
        with Fake(TASK, more, more) as fake:
            self.assertEqual(len(list(fake.client().pages("a.b", {}, max_pages=2))), 2)
        # A page whose cursor leads to itself must not be paid for forever.
        with Fake(TASK, more, more) as fake:
            self.assertEqual(len(list(fake.client().pages("a.b", {}))), 2)
        with Fake({**TASK, "input_schema": {"properties": {}}}, more) as fake:
            self.assertEqual(len(list(fake.client().pages("a.b", {}))), 1)


def event(name, sequence):
    return {"type": f"gleaner.{name}", "sequence": sequence, "data": {"text": "ö\n"}}


def block(name, sequence):
    return f"id: {sequence}\nevent: {name}\ndata: {json.dumps(event(name, sequence))}\n\n"


def stream(text, whole=True):
    return lambda handler: chunked(handler, text.encode(), whole, [("Content-Type", "text/event-stream")])


class Streams(Case):
    @NOW
    def test_a_broken_stream_resumes_after_the_last_position_and_drops_half_an_event(self, _):
        begun = "retry: 2000\n\n: \n\n" + block("RunStarted", "1") + block("RunProgressed", "2")[:-20]
        moved = ": \nid: 7\n\n"
        with Fake(
            stream(begun, whole=False), stream(moved), CUT, problem(503, "shutting-down"), stream(block("RunFailed", "8"))
        ) as fake:
            events = list(fake.client().runs.events("run_1", after="0"))
        self.assertEqual(events, [event("RunStarted", "1"), event("RunFailed", "8")])
        positions = [headers["Last-Event-ID"] for _, _, _, headers in fake.asked]
        self.assertEqual(positions, ["0", "1", "7", "7", "7"])

    def test_the_stream_after_the_last_event_of_a_run_is_empty(self):
        with Fake(lambda handler: send(handler, 204, b"")) as fake:
            self.assertEqual(list(fake.client().runs.events("run_1", after="9")), [])

    @NOW
    def test_the_feed_continues_after_the_end_of_a_run(self, _):
        both = block("RunFailed", "1") + block("RunSucceeded", "2")
        with Fake(stream(both), problem(401, "revoked-key")) as fake:
            events = fake.client().events(types=["RunFailed", "RunSucceeded"])
            self.assertEqual([next(events)["sequence"], next(events)["sequence"]], ["1", "2"])
            self.refused("revoked-key", next, events)
        self.assertEqual(fake.asked[0][1], "/v1/events/stream?types=RunFailed%2CRunSucceeded")

    def test_a_service_that_stays_away_is_an_error(self):
        with Fake(stream(block("RunStarted", "1")), CUT, CUT, CUT, CUT) as fake:
            events = fake.client(retry_for_s=0.2).events()
            next(events)
            self.refused("connection-failed", next, events)

    def test_retry_for_s_starts_again_with_each_outage(self):
        ends = [stream(block(name, "1")) for name in ("RunRequested", "RunStarted", "RunFailed")]
        with Fake(*ends) as fake:
            events = fake.client(retry_for_s=0.3).runs.events("run_1")
            next(events)
            next(events)
            time.sleep(0.3)
            self.assertEqual(next(events)["type"], "gleaner.RunFailed")

    def test_a_stream_is_closed_when_its_reader_stops(self):
        gone = []

        def endless(handler):
            handler.connection.settimeout(10)
            chunked(handler, block("RunStarted", "1").encode(), whole=False)
            try:
                gone.append(handler.rfile.read(1))
            except ConnectionResetError:
                # It was closed before the client had read the end of the chunk.
                gone.append(b"")

        with Fake(endless) as fake:
            for _ in fake.client().events():
                break
        # The handler has ended: it read the end of the connection.
        self.assertEqual(gone, [b""])


CONTENT = bytes(range(256)) * 3000
TAG = '"abc"'


def whole(handler):
    send(handler, 200, CONTENT, [("ETag", TAG)])


def part(handler):
    start = int(handler.headers["Range"][len("bytes=") : -1])
    send(handler, 206, CONTENT[start:], [("ETag", TAG)])


def broken(handler):
    send(handler, 200, CONTENT[:200_000], [("ETag", TAG)], len(CONTENT))


@NOW
class Downloads(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "file.zip")

    def download(self, *answers, to=None):
        with Fake(*answers) as fake:
            self.fake = fake
            return fake.client().runs.download("run_1", "späß 1.zip", to or self.path)

    def test_a_file_is_downloaded_to_its_path(self, _):
        self.assertEqual(self.download(whole), len(CONTENT))
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(), CONTENT)
        self.assertEqual(os.listdir(self.folder), ["file.zip"])
        self.assertEqual(self.fake.calls(), ["GET /v1/runs/run_1/artifacts/sp%C3%A4%C3%9F%201.zip"])

    def test_a_broken_download_resumes_and_writes_nothing_twice(self, _):
        to = io.BytesIO()
        self.assertEqual(self.download(broken, CUT, part, to=to), len(CONTENT))
        self.assertEqual(to.getvalue(), CONTENT)
        asked = [(headers["Range"], headers["If-Range"]) for _, _, _, headers in self.fake.asked]
        self.assertEqual(asked, [(None, None)] + [("bytes=200000-", TAG)] * 2)

    def test_a_download_that_broke_within_its_headers_is_no_empty_file(self, _):
        to = io.BytesIO()
        self.assertEqual(self.download(cut_headers("Content-Type: application/zip", ""), whole, to=to), len(CONTENT))
        self.assertEqual(to.getvalue(), CONTENT)

    def test_a_download_that_always_breaks_at_the_same_place_is_given_up(self, _):
        cut = lambda handler: send(handler, 200, CONTENT[:1000], length=len(CONTENT))
        with Fake(*[cut] * 50) as fake:
            self.refused("connection-failed", fake.client(retry_for_s=1).runs.download, "run_1", "a", io.BytesIO())
        self.assertLess(len(fake.asked), 50)

    def test_a_file_that_changed_during_the_download_is_an_error_and_leaves_nothing(self, _):
        changed = lambda handler: send(handler, 200, CONTENT, [("ETag", '"other"')])
        self.refused("file-changed", self.download, broken, changed)
        self.refused("not-found", self.download, problem(404, "not-found"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_full_disk_is_an_os_error_without_retries(self, _):
        class Full(io.BytesIO):
            def write(self, data):
                raise OSError(28, "No space left on device")

        with self.assertRaises(OSError):
            self.download(whole, to=Full())
        self.assertEqual(len(self.fake.asked), 1)

    def test_a_broken_export_starts_over_and_writes_nothing_twice(self, _):
        lines = b"".join(b'{"n":%d}\n' % n for n in range(20_000))
        half = lambda handler: chunked(handler, lines[:150_000], whole=False)
        to = io.BytesIO()
        with Fake(RUN, half, lambda handler: chunked(handler, lines)) as fake:
            self.assertEqual(fake.client().runs.export("run_1", to, format="ndjson"), len(lines))
        self.assertEqual(to.getvalue(), lines)
        self.assertEqual(fake.calls()[1:], ["GET /v1/runs/run_1/items?format=ndjson"] * 2)
        with Fake(RUN, half, lambda handler: chunked(handler, b"")) as fake:
            self.refused("file-changed", fake.client().runs.export, "run_1", io.BytesIO(), format="ndjson")


class Webhooks(Case):
    def test_each_call_sends_what_the_contract_says(self):
        record, tested = {"webhook_id": "wh_1"}, {"delivered": True}
        answers = [record, record, record, {"webhooks": [record]}, record, tested, {"deliveries": 1}, {"deliveries": 2}]
        with Fake(*answers) as fake:
            webhooks = fake.client().webhooks
            webhooks.create("https://example.com", types=["RunSucceeded"])
            webhooks.get("wh_1")
            webhooks.update("wh_1", {"state": "enabled", "description": None})
            self.assertEqual(webhooks.list(), [record])
            webhooks.rotate_secret("wh_1")
            self.assertEqual(webhooks.test("wh_1"), tested)
            self.assertEqual(webhooks.replay("wh_1", event_id="e"), {"deliveries": 1})
            webhooks.replay("wh_1", from_="2026-11-01T00:00:00Z", only_failed=True)
        self.assertEqual(
            [(call, body) for call, (_, _, body, _) in zip(fake.calls(), fake.asked)],
            [
                ("POST /v1/webhooks", {"url": "https://example.com", "types": ["RunSucceeded"]}),
                ("GET /v1/webhooks/wh_1", None),
                ("PATCH /v1/webhooks/wh_1", {"state": "enabled", "description": None}),
                ("GET /v1/webhooks", None),
                ("POST /v1/webhooks/wh_1/rotate-secret", None),
                ("POST /v1/webhooks/wh_1/test", None),
                ("POST /v1/webhooks/wh_1/replay", {"event_id": "e"}),
                ("POST /v1/webhooks/wh_1/replay", {"from": "2026-11-01T00:00:00Z", "only_failed": True}),
            ],
        )


if __name__ == "__main__":
    unittest.main()
