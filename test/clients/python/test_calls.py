"""Each call of the client to the real service. SERVICE holds its address and keys as JSON."""

import csv
import io
import itertools
import json
import os
import queue
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gleaner
from fake import Case

SERVICE = json.loads(os.environ["SERVICE"])
URL, KEY = SERVICE["url"], SERVICE["key"]
client = gleaner.Gleaner(URL, KEY, retry_for_s=10)
operator = gleaner.Gleaner(URL, SERVICE["operator"]).operator


def account(credits=1000):
    """A client of a new account that only its test uses."""
    return gleaner.Gleaner(URL, operator.open_account("own", credits=credits)["api_key"])


class Runs(Case):
    def test_a_run_is_waited_for_and_has_its_items(self):
        run = client.run("storm.quick", {"items": 3})
        self.assertEqual((run.run_status, run.is_terminal, run.credits), ("succeeded", True, {"charged": 2, "refunded": 0}))
        self.assertEqual(list(run.items()), [{"n": 0}, {"n": 1}, {"n": 2}])
        self.assertEqual(list(client.runs.items(run.run_id)), list(run.items()))
        self.assertEqual(client.runs.get(run.run_id), run)
        self.assertIs(run.wait(), run)

    def test_progress_is_reported_until_the_end(self):
        told = []
        run = client.run("faults.slow", {"count": 5}, on_progress=told.append)
        self.assertEqual(told[-1], {"done": 5, "total": 5, "message": "going on"})
        self.assertEqual(run.progress, told[-1])

    def test_a_failed_run_is_raised_with_its_items_and_is_refunded(self):
        error = self.refused("source-changed", client.run, "faults.changed", {})
        self.assertIsInstance(error, gleaner.RunFailed)
        self.assertEqual((error.run.run_status, error.run_id), ("failed", error.run.run_id))
        items = error.run.items()
        self.assertEqual([next(items), next(items)], [{"n": 1}, {"n": 2}])
        self.refused("source-changed", next, items)
        self.assertEqual(error.run.credits, {"charged": 1, "refunded": 1})
        self.assertIn("no list", str(error))

    def test_a_wait_that_times_out_leaves_the_run_running_and_a_cancellation_ends_it(self):
        error = self.refused("timeout", client.run, "faults.slow", {"count": 5000}, timeout_s=0.3)
        # A queued run has no items yet.
        while not client.runs.items_so_far(error.run_id):
            time.sleep(0.05)
        self.assertEqual(client.runs.get(error.run_id).items_so_far()[0], {"n": 0})
        self.assertIn(client.runs.cancel(error.run_id).run_status, ("cancelling", "cancelled"))
        ended = client.runs.wait(error.run_id)
        self.assertEqual(ended.items_so_far(), ended.result["items"])
        self.assertEqual((ended.run_status, ended.result["partial"]), ("cancelled", True))
        self.assertEqual(ended.cancel(), ended)
        self.refused("run-finished", client.run("storm.quick", {}).cancel)

    def test_one_idempotency_key_is_one_run_and_one_charge(self):
        first = client.start("storm.quick", {}, idempotency_key="order-1")
        self.assertEqual(client.run("storm.quick", {}, idempotency_key="order-1").run_id, first.run_id)
        self.assertEqual(len([entry for entry in client.account.ledger() if entry["run_id"] == first.run_id]), 1)
        self.refused("idempotency-key-reused", client.start, "storm.quick", {"items": 1}, idempotency_key="order-1")

    def test_a_title_is_the_callers_or_a_summary_of_the_input(self):
        for start in (client.start, client.run):
            run = start("storm.quick", {}, title="Storms of the week", idempotency_key="titled")
            self.assertEqual((run.title, client.runs.get(run.run_id).title), ("Storms of the week", "Storms of the week"))
        pages = client.pages("storm.quick", {"_run": {"async": True}}, title="A page", max_pages=1)
        self.assertEqual([page.title for page in pages], ["A page"])
        self.assertIsNone(client.start("storm.quick", {}).title)
        self.assertEqual(client.start("encyclopedia.search", {"query": "otter", "limit": 1}).title, "otter")
        error = self.refused("validation-failed", client.start, "storm.quick", {}, title=" ")
        self.assertEqual([one["pointer"] for one in error.errors], ["/_run/title"])

    def test_items_cover_all_pages_and_a_restarted_program_pays_only_for_new_pages(self):
        def titles(**options):
            found = client.items("encyclopedia.search", {"query": "otter", "limit": 20}, idempotency_key="all", **options)
            return [item["title"] for item in found]

        def paid():
            return len(list(client.runs.list(task_key="encyclopedia.search")))

        before = paid()
        self.assertEqual(titles(max_pages=2), [f"otter {n}" for n in range(1, 41)])
        self.assertEqual(paid() - before, 2)
        self.assertEqual(titles(), [f"otter {n}" for n in range(1, 47)])
        self.assertEqual(paid() - before, 3)

    def test_fields_of_the_path_are_taken_from_the_input(self):
        error = self.refused("validation-failed", client.start, "forum.user", {"username": "otter", "type": "x/y"})
        self.assertEqual((error.status, [one["pointer"] for one in error.errors]), (422, ["/type"]))
        error = self.refused("validation-failed", client.start, "forum.user", {"username": "otter"})
        self.assertEqual([one["pointer"] for one in error.errors], ["/type"])

    def test_lists_have_all_runs_newest_first(self):
        runs = [client.run("storm.quick", {"items": n}).run_id for n in range(3)]
        listed = [run.run_id for run in itertools.islice(client.runs.list(task_key="storm.quick"), 3)]
        self.assertEqual(listed, runs[::-1])
        self.assertEqual({run.run_status for run in client.runs.list(status="succeeded")}, {"succeeded"})
        run = next(client.runs.list(status="succeeded", task_key="storm.quick"))
        self.assertEqual([run.result, len(list(run.items()))], [None, run.item_count])
        self.assertGreater(run.item_count, 0)
        self.refused("validation-failed", next, client.runs.list(status="unknown"))

    def test_events_of_a_run_come_until_its_end_and_resume(self):
        run = client.start("faults.slow", {"count": 6})
        events = list(run.events())
        names = [event["type"] for event in events if event["type"] != "gleaner.RunProgressed"]
        self.assertEqual(
            names, ["gleaner.RunRequested", "gleaner.RunStarted", "gleaner.ResultStored", "gleaner.RunSucceeded"]
        )
        self.assertEqual(list(run.events(after=events[1]["sequence"])), events[2:])
        self.assertEqual(list(client.runs.events(run.run_id, after=events[-1]["sequence"])), [])

    def test_items_are_exported_to_a_path_and_to_a_file(self):
        run = client.start("storm.quick", {"items": 2})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "items.csv")
            self.assertEqual(run.export(path, format="csv"), 9)
            with open(path, newline="") as file:
                self.assertEqual(list(csv.DictReader(file)), [{"n": "0"}, {"n": "1"}])
        for format, text in (("json", b'[{"n":0},{"n":1}]'), ("ndjson", b'{"n":0}\n{"n":1}\n')):
            to = io.BytesIO()
            client.runs.export(run.run_id, to, format=format)
            self.assertEqual(to.getvalue(), text)

    def test_files_are_downloaded(self):
        run = client.run("faults.file", {})
        to = io.BytesIO()
        self.assertEqual((run.download("hello.txt", to), to.getvalue()), (11, b"hello world"))
        self.assertEqual([(file["name"], file["bytes"]) for file in run.artifacts], [("hello.txt", 11)])
        self.refused("not-found", run.download, "other.txt", to)

    def test_many_threads_use_one_client(self):
        found = []

        def work(n):
            found.append(len(list(client.run("storm.quick", {"items": n}).items())))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(found), list(range(8)))


class Receiver:
    """An endpoint on loopback. `next` returns the next delivery."""

    def __init__(self):
        self.statuses = []
        sent = self.sent = queue.Queue()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                sent.put((self.rfile.read(int(self.headers["Content-Length"])), self.headers))
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.01,)).start()

    def next(self):
        return self.sent.get(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Webhooks(Case):
    def test_an_endpoint_is_created_tested_delivered_to_replayed_and_deleted(self):
        own = account()
        webhooks = own.webhooks
        with Receiver() as receiver:
            made = webhooks.create(receiver.url, types=["RunSucceeded"], description="first")
            webhook_id, secret = made["webhook_id"], made["secret"]
            self.assertEqual(webhooks.get(webhook_id), {key: made[key] for key in made if key != "secret"})
            self.assertIn(webhook_id, [one["webhook_id"] for one in webhooks.list()])
            self.assertEqual(webhooks.test(webhook_id)["status"], 204)
            self.assertEqual(gleaner.verify_webhook(*receiver.next(), secret)["type"], "gleaner.WebhookTest")

            run = own.run("storm.quick", {})
            payload, headers = receiver.next()
            event = gleaner.verify_webhook(payload, headers, secret)
            self.assertEqual((event["type"], event["data"]["run_id"]), ("gleaner.RunSucceeded", run.run_id))
            self.assertEqual(event, list(run.events())[-1])
            self.refused("invalid-webhook", gleaner.verify_webhook, payload + b" ", headers, secret)

            rotated = webhooks.rotate_secret(webhook_id)["secret"]
            self.assertEqual(webhooks.replay(webhook_id, event_id=event["id"]), {"deliveries": 1})
            payload, headers = receiver.next()
            for both in (secret, rotated, [secret, rotated]):
                self.assertEqual(gleaner.verify_webhook(payload, headers, both), event)
            self.refused("not-found", webhooks.replay, webhook_id, event_id="no-such")
            self.assertEqual(webhooks.replay(webhook_id, from_="2100-01-01T00:00:00Z"), {"deliveries": 0})

            delivered = []
            while len(delivered) == 0 or delivered[0]["state"] != "delivered":
                delivered = [one for one in webhooks.deliveries(webhook_id) if one["event_id"] == event["id"]]
            self.assertEqual({attempt["status"] for one in delivered for attempt in one["attempts"]}, {204})
            self.assertEqual(list(webhooks.deliveries(webhook_id, state="failed")), [])

            changed = webhooks.update(webhook_id, {"state": "disabled", "description": None})
            self.assertEqual((changed["disabled_reason"], changed["description"]), ("requested", None))
            webhooks.delete(webhook_id)
            self.refused("not-found", webhooks.get, webhook_id)
        self.refused("validation-failed", webhooks.create, "http://10.0.0.1/")


class EverythingElse(Case):
    def test_the_feed_has_the_events_of_the_account_and_resumes(self):
        own = account()
        run = own.run("storm.quick", {})
        wanted = []
        for event in own.events(types=["CreditsCharged", "RunSucceeded"]):
            wanted.append(event)
            if event["data"].get("run_id") == run.run_id and event["type"] == "gleaner.RunSucceeded":
                break
        self.assertEqual({event["type"] for event in wanted}, {"gleaner.CreditsCharged", "gleaner.RunSucceeded"})
        again = own.events(types=["CreditsCharged", "RunSucceeded"], after=wanted[-2]["sequence"])
        self.assertEqual(next(again), wanted[-1])
        again.close()
        self.refused("validation-failed", next, client.events(types=["Unknown"]))
        self.refused("validation-failed", next, client.events(after="elsewhere.1"))

    def test_tasks_and_the_account(self):
        tasks = client.tasks.list()
        self.assertIn("storm.quick", [task["task_key"] for task in tasks])
        task = client.tasks.get("encyclopedia.search")
        self.assertEqual((task["credit_cost"], task["path"]), (1, "/v1/encyclopedia/search"))
        self.refused("not-found", client.run, "no.such", {})
        health = client.tasks.health("encyclopedia.search", days=1)
        self.assertEqual(health["task_key"], "encyclopedia.search")
        self.refused("validation-failed", client.tasks.health, "encyclopedia.search", days=91)
        account = client.account.get()
        self.assertEqual(account["name"], "default")

    def test_the_ledger_adds_up_over_all_of_its_pages(self):
        own = account()
        for run in [own.start("storm.quick", {"end": "not-found"}) for _ in range(26)]:
            run.wait()
        entries = []
        while len(entries) < 1 + 26 * 2:
            # A refund follows the end of its run.
            entries = list(own.account.ledger())
        self.assertEqual(len({entry["entry_id"] for entry in entries}), len(entries))
        self.assertEqual([entries[-1]["kind"], entries[-1]["amount"]], ["granted", 1000])
        self.assertEqual(sum(entry["amount"] for entry in entries), 1000)

    def test_keys_are_created_listed_and_revoked(self):
        key = client.keys.create(name="ci", scopes=["runs"], expires_at="2100-01-01T00:00:00Z")
        again = [client.keys.create(name="once", idempotency_key="once") for _ in range(2)]
        self.assertEqual([one["key_id"] for one in again], [again[0]["key_id"]] * 2)
        self.assertEqual([one["api_key"] is None for one in again], [False, True])
        other = gleaner.Gleaner(URL, key["api_key"])
        self.assertEqual(other.account.get()["name"], "default")
        error = self.refused("key-scope", other.keys.list)
        self.assertEqual(error.status, 403)
        self.assertIn(key["key_id"], [one["key_id"] for one in client.keys.list()])
        self.assertIsNotNone(client.keys.revoke(key["key_id"])["revoked_at"])
        self.refused("revoked-key", other.account.get)

    def test_the_error_of_a_missing_login_has_its_link(self):
        error = self.refused("login-required", client.run, "microblog.search", {"query": "otter"})
        self.assertIsInstance(error, gleaner.LoginRequired)
        self.assertTrue(error.hosted_url.startswith(f"{URL}/login/"))
        self.assertEqual((error.source, error.expires_at[-1]), ("microblog", "Z"))
        link = client.logins.start("microblog", idempotency_key="sign-in")["hosted_url"]
        self.assertTrue(link.startswith(f"{URL}/login/"))
        self.assertEqual(client.logins.start("microblog", idempotency_key="sign-in")["hosted_url"], link)
        self.assertNotEqual(client.logins.start("microblog")["hosted_url"], link)
        states = {login["source"]: login["state"] for login in client.logins.list()}
        self.assertEqual(states["microblog"], "in_progress")
        self.assertEqual(client.logins.delete("microblog")["state"], "needs_login")

    def test_the_operator_opens_accounts_grants_credits_and_sets_entitlements(self):
        opened = operator.open_account("Team Otter", credits=1, idempotency_key="otter")
        again = operator.open_account("Team Otter", credits=1, idempotency_key="otter")
        self.assertEqual((again["account_id"], again["api_key"]), (opened["account_id"], None))
        own = gleaner.Gleaner(URL, opened["api_key"])
        error = self.refused("insufficient-credits", own.run, "storm.quick", {})
        self.assertEqual((error.required, error.balance), (2, 1))
        self.assertEqual(operator.grant_credits(opened["account_id"], 5, reason="invoice 17")["balance"], 6)
        own.run("storm.quick", {})
        account = operator.set_entitlements(opened["account_id"], tasks=["forum.*"], limits={"concurrent_runs": 2})
        self.assertEqual((account["tasks"], account["limits"]["concurrent_runs"]), (["forum.*"], 2))
        self.refused("task-not-allowed", own.run, "storm.quick", {})

    def test_request_makes_any_other_call(self):
        self.assertEqual(client.request("GET", "/v1/runs", query={"task_key": "no.such"})["runs"], [])
        self.assertEqual(client.request("POST", "/admin/create-key", body={"name": "other"})["name"], "other")
        self.refused("method-not-allowed", client.request, "DELETE", "/v1/tasks")

    def test_a_wrong_key_is_an_error_at_once(self):
        self.refused("invalid-key", gleaner.Gleaner(URL, KEY[:-1] + "0").tasks.list)

    def test_rate_limits_are_waited_for(self):
        opened = operator.open_account("limited")
        operator.set_entitlements(opened["account_id"], limits={"read_per_minute": 120})
        impatient = gleaner.Gleaner(URL, opened["api_key"], retry_for_s=0)
        limited = None
        while limited is None:
            try:
                impatient.account.get()
            except gleaner.GleanerError as error:
                limited = error
        self.assertEqual((limited.code, limited.status), ("rate-limited", 429))
        self.assertGreater(limited.retry_after_s, 0)
        self.assertEqual(gleaner.Gleaner(URL, opened["api_key"]).account.get()["name"], "limited")


if __name__ == "__main__":
    unittest.main()
