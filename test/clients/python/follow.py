"""Waits, streams and pages at the same time, while the service is killed, and prints what it receives, line by line."""

import json
import os
import threading

import gleaner

SERVICE = json.loads(os.environ["SERVICE"])
client = gleaner.Gleaner(SERVICE["url"], SERVICE["key"], retry_for_s=30)
saying = threading.Lock()


def say(**what):
    with saying:
        print(json.dumps(what), flush=True)


def page():
    for item in client.items("encyclopedia.search", {"query": "otter", "limit": 5}):
        say(item=item["title"])
    say(over="pages")


def follow(run):
    for event in run.events():
        say(event=event["sequence"], type=event["type"])
    say(over="events")


def feed():
    for event in client.events():
        say(fed=event["sequence"])
        if event["type"] == "gleaner.KeyRevoked":
            break
    say(over="feed")


def wait(run):
    ended = run.wait()
    say(over="wait", run_status=ended.run_status, attempt=ended.attempt, items=list(ended.items()))


slow = client.start("storm.slow", {"ms": 600})
threads = [
    threading.Thread(target=work, args=args) for work, args in ((page, ()), (follow, (slow,)), (feed, ()), (wait, (slow,)))
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
