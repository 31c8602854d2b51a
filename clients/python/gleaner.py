"""The Python client of Gleaner, a data-extraction run service. For Python 3.9 or newer; it has no dependencies.

    from gleaner import Gleaner

    gleaner = Gleaner("http://127.0.0.1:3000", os.environ["GLEANER_API_KEY"])
    run = gleaner.run("encyclopedia.search", {"query": "otter", "limit": 5})
    for article in run.items():
        print(article["title"], article["url"])

Each call that starts a run or creates something sends an Idempotency-Key and reuses it for its retries, so nothing is
paid or created twice. Lost connections and the responses 429, 502, 503 and 504 are retried; streams resume where they
stopped. Every error is a :class:`GleanerError` with a ``code``.

Several threads can share one client. Times are RFC 3339 in UTC, durations are in seconds, credits are integers.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import dataclasses
import email.utils
import hashlib
import hmac
import http.client
import itertools
import json
import math
import os
import random
import re
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Generator,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypedDict,
    Union,
    cast,
)

__version__ = "1.0.0rc1"
__all__ = [
    "Gleaner",
    "GleanerError",
    "LoginRequired",
    "Run",
    "RunFailed",
    "verify_webhook",
]

Item = Dict[str, Any]
"""One item of a result: the fields that the task's ``output_schema`` declares."""
Input = Mapping[str, Any]
"""The input of a task: the fields that its ``input_schema`` declares."""
Scope = Literal["runs", "admin", "events"]
RunStatus = Literal[
    "queued", "running", "cancelling", "succeeded", "failed", "errored", "cancelled", "expired"
]
Health = Literal["healthy", "degraded", "drifting", "broken", "unknown"]
TERMINAL = frozenset({"succeeded", "failed", "errored", "cancelled", "canceled", "expired"})
"""The values of ``run_status`` that end a run. Any other value means that it is in progress."""


# Response types. test/clients/python/client.test.ts compares them with /openapi.json.


class Progress(TypedDict):
    done: int
    total: Optional[int]
    message: Optional[str]


class Credits(TypedDict):
    charged: int
    refunded: int


class Usage(TypedDict):
    """What the requests and pages of a run sent and received."""

    requests: int
    """Redirects and retries included."""
    bytes: int
    """As on the wire."""


class Artifact(TypedDict):
    """A file that a run produced."""

    name: str
    content_type: str
    bytes: int
    sha256: str
    url: str


class RunError(TypedDict):
    """Why a run did not succeed."""

    code: str
    title: str
    detail: str


class Links(TypedDict):
    self: str
    events: str
    cancel: str


class Drift(TypedDict):
    """A field of items that lost its values. ``was`` and ``now`` are shares of items with a value, from 0 to 1."""

    field: str
    was: float
    now: float


class Task(TypedDict):
    """A task: one kind of data that can be collected from a source."""

    task_key: str
    title: str
    description: str
    path: str
    aliases: List[str]
    credit_cost: int
    pricing: Optional[str]
    requires_login: bool
    access: Optional[str]
    input_schema: Dict[str, Any]
    output_schema: Dict[str, Any]
    example: Dict[str, Any]
    source: str
    health: Health
    health_since: Optional[str]
    drift: List[Drift]


class _OperatorsDay(TypedDict, total=False):
    runs: int


class HealthDay(_OperatorsDay):
    """How the runs of a task went on one day, over all accounts. ``fill`` is the share of items with a value, by field.
    ``runs``, their number, is present only if the key is the operator's."""

    day: str
    success: Optional[float]
    blocked: float
    p50_ms: Optional[int]
    items: Optional[float]
    fill: Dict[str, float]


class TaskHealth(TypedDict):
    """How a task stands, and how its runs went day by day, oldest first. Days without runs are left out."""

    task_key: str
    health: Health
    health_since: Optional[str]
    drift: List[Drift]
    days: List[HealthDay]


class Limits(TypedDict):
    """0 means no limit."""

    kickoff_per_minute: int
    read_per_minute: int
    admin_per_minute: int
    concurrent_runs: int


class LimitChanges(TypedDict, total=False):
    """0 means no limit, None means the service's default. Omitted limits stay unchanged."""

    kickoff_per_minute: Optional[int]
    read_per_minute: Optional[int]
    admin_per_minute: Optional[int]
    concurrent_runs: Optional[int]


class Account(TypedDict):
    account_id: str
    name: str
    balance: int
    tasks: List[str]
    limits: Limits
    suspended: bool


class LedgerEntry(TypedDict):
    """``amount`` is negative for a charge; the sum of all amounts is the balance."""

    entry_id: str
    at: str
    kind: Literal["charged", "granted", "refunded"]
    amount: int
    balance_after: int
    run_id: Optional[str]
    reason: Optional[str]


class Key(TypedDict):
    """An API key, without the key itself."""

    key_id: str
    name: Optional[str]
    prefix: str
    scopes: List[Scope]
    created_at: str
    last_used_at: Optional[str]
    expires_at: Optional[str]
    revoked_at: Optional[str]


class NewKey(Key):
    """A newly created key. ``api_key`` is shown only once. It is None in the response to a repeated call."""

    api_key: Optional[str]


class Login(TypedDict):
    """The account's saved login at one source."""

    source: str
    state: Literal["needs_login", "in_progress", "ready"]
    signed_in_at: Optional[str]
    last_used_at: Optional[str]
    last_checked_at: Optional[str]


class StartedLogin(Login):
    """A login with the link for signing in. The link can be opened once, until ``expires_at``. Both are None in the
    response to a repeated call if the link was opened or has expired."""

    hosted_url: Optional[str]
    expires_at: Optional[str]


class Event(TypedDict):
    """An event in the CloudEvents 1.0 format. ``sequence`` is its position, which can be passed as ``after``."""

    specversion: str
    id: str
    type: str
    source: str
    subject: str
    time: str
    datacontenttype: str
    dataschema: str
    sequence: str
    correlationid: str
    causationid: str
    actor: str
    data: Dict[str, Any]


class OpenedAccount(TypedDict):
    """``api_key``, the account's first key, is shown only once. It is None in the response to a repeated call."""

    account_id: str
    name: str
    balance: int
    api_key: Optional[str]


class GrantedCredits(TypedDict):
    account_id: str
    balance: int


class Webhook(TypedDict):
    """An endpoint that receives the account's events."""

    webhook_id: str
    url: str
    types: List[str]
    description: Optional[str]
    state: Literal["enabled", "disabled"]
    disabled_reason: Optional[Literal["requested", "gone", "failing"]]
    failing_since: Optional[str]
    last_success_at: Optional[str]
    created_at: str


class NewWebhook(Webhook):
    """A newly created webhook. The secret, which signs its deliveries, is shown only once. It is None in the response to
    a repeated call."""

    secret: Optional[str]


class WebhookWithSecret(Webhook):
    """A webhook with its new secret, which signs its deliveries. The secret is shown only once."""

    secret: str


class WebhookChanges(TypedDict, total=False):
    """Omitted fields stay unchanged."""

    url: str
    types: List[str]
    description: Optional[str]
    state: Literal["enabled", "disabled"]


class WebhookTest(TypedDict):
    """The endpoint's response. ``status`` is None if there was none."""

    delivered: bool
    status: Optional[int]
    duration_ms: int
    error: Optional[str]
    response: Optional[str]


class Attempt(TypedDict):
    at: str
    status: Optional[int]
    duration_ms: int
    error: Optional[str]
    response: Optional[str]


class Delivery(TypedDict):
    """The delivery of one event to an endpoint. ``attempts`` are ordered oldest first."""

    event_id: str
    type: str
    subject: str
    state: Literal["delivered", "pending", "failed"]
    attempts: List[Attempt]
    next_attempt_at: Optional[str]


class Replay(TypedDict):
    """The number of deliveries that were started."""

    deliveries: int


class FieldError(TypedDict):
    """``pointer`` is the JSON pointer to the field, or ``/name`` for a query parameter."""

    pointer: str
    code: str
    detail: str


# Errors


class GleanerError(Exception):
    """The base class of all errors. Handle an error by its ``code``; ``detail`` says what is wrong and what to do.

    ``code`` is the code of the service's problem (``insufficient-credits``, ``validation-failed``, …), or one of
    these codes of the client:

    - ``connection-failed``: the service could not be reached, or the connection broke
    - ``timeout``: the run did not end within ``timeout_s``. It continues. ``run_id`` is its id, or None if the service
      did not confirm the start in time
    - ``unexpected-answer``: the response was not from Gleaner, but for example a proxy's error page
    - ``result-expired``: the result was deleted, by default 30 days after the end of the run
    - ``invalid-webhook``: the delivery passed to :func:`verify_webhook` is not from the service, or its time is too far
      from now
    - ``file-changed``: a file changed while it was downloaded
    - ``bad-idempotency-key``: the ``idempotency_key`` is not 1 to 255 printable ASCII characters, or for pages longer
      than 245

    The other attributes are the fields of the problem, or None if the problem does not contain them.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status: Optional[int] = None,
        problem: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(code, detail, status, problem)
        more: Mapping[str, Any] = problem or {}
        self.code = code
        self.detail = detail
        self.status = status
        """The HTTP status of the response; None without a response."""
        self.problem = more
        """All fields of the problem, as sent by the service."""
        self.title: Optional[str] = more.get("title")
        self.request_id: Optional[str] = more.get("request_id")
        """Include it when you contact support."""
        self.errors: List[FieldError] = more.get("errors", [])
        """The invalid fields."""
        self.run_id: Optional[str] = more.get("run_id")
        self.required: Optional[int] = more.get("required")
        """The price of the call, in credits."""
        self.balance: Optional[int] = more.get("balance")
        """The balance of the account, in credits."""
        self.retry_after_s: Optional[float] = more.get("retry_after_s")
        self.idempotency_key: Optional[str] = None
        """The key of the failed call. Repeat the call with this key, and it takes effect at most once."""
        self.is_repeat = False
        """Whether an earlier attempt of the call may have succeeded although its response was lost."""

    def __str__(self) -> str:
        request = f", {self.request_id}" if self.request_id else ""
        return f"{self.detail} ({self.code}{request})"


class LoginRequired(GleanerError):
    """The task needs a login at its source, and the account has no working one.

    Open ``hosted_url`` in a browser before ``expires_at``, sign in, and repeat the call. Nothing was charged.
    """

    @property
    def hosted_url(self) -> str:
        return cast(str, self.problem["hosted_url"])

    @property
    def expires_at(self) -> str:
        return cast(str, self.problem["expires_at"])

    @property
    def source(self) -> str:
        return cast(str, self.problem["source"])


class RunFailed(GleanerError):
    """The run ended, but did not succeed. ``code`` is the run's error code, or ``cancelled``. Credits are refunded."""

    def __init__(self, run: Run) -> None:
        error = run.error or {"code": run.run_status, "title": "", "detail": f"The run was {run.run_status}."}
        detail = f"{run.run_id} ended as {run.run_status}: {error['detail'] or error['title']}"
        super().__init__(error["code"], detail, None, {"title": error["title"], "run_id": run.run_id})
        self.args = (run,)
        self.run = run
        """The run, with the items collected before it ended."""


# Runs


@dataclasses.dataclass(frozen=True)
class Run:
    """A snapshot of one execution of a task. The object never changes: :meth:`wait` returns a new one."""

    run_id: str
    run_status: RunStatus
    task_key: str
    title: Optional[str]
    """What the run is about: the title that its call set, otherwise a summary of its input. None without either, and
    once the result was deleted."""
    created_at: str
    started_at: Optional[str]
    finished_at: Optional[str]
    expires_at: Optional[str]
    """The time by which the run ends at the latest; None once it has ended."""
    attempt: int
    progress: Progress
    credits: Credits
    usage: Optional[Usage]
    """What the requests and pages of the run used, over all its attempts; None until the run has ended."""
    item_count: Optional[int]
    """How many items the result has, also in a list and once the result was deleted; None without a result."""
    result: Optional[Dict[str, Any]]
    """The collected data: ``items``, ``next_cursor`` and any other fields that the task's ``output_schema`` declares.
    None while the run is in progress and in a list; ``{"expired_at": …}`` once the result was deleted."""
    artifacts: List[Artifact]
    error: Optional[RunError]
    links: Links
    _http: _Http = dataclasses.field(repr=False, compare=False)

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended."""
        return self.run_status in TERMINAL

    def wait(
        self,
        *,
        on_progress: Optional[OnProgress] = None,
        timeout_s: Optional[float] = None,
        poll: bool = False,
    ) -> Run:
        """Waits for the end of the run. See :meth:`Runs.wait`."""
        is_listed = self.item_count is not None and self.result is None
        if self.is_terminal and not is_listed:
            return self
        return Runs(self._http).wait(self.run_id, on_progress=on_progress, timeout_s=timeout_s, poll=poll)

    def items(self) -> Iterator[Item]:
        """Waits for the end of the run, then yields its items. See :meth:`Runs.items`."""
        run = self.wait()
        yield from (run.result or {}).get("items", [])
        _succeeded(run)

    def items_so_far(self) -> List[Item]:
        """Returns the items so far, without waiting. See :meth:`Runs.items_so_far`."""
        return Runs(self._http).items_so_far(self.run_id)

    def events(self, *, after: Optional[str] = None) -> Generator[Event, None, None]:
        """Yields the events of the run up to its end. See :meth:`Runs.events`."""
        return Runs(self._http).events(self.run_id, after=after)

    def cancel(self) -> Run:
        """Requests cancellation of the run. See :meth:`Runs.cancel`."""
        return Runs(self._http).cancel(self.run_id)

    def export(self, to: Target, *, format: Format = "json") -> int:
        """Writes the items to a file. See :meth:`Runs.export`."""
        self.wait()
        return self._http.download(f"/v1/runs/{_quoted(self.run_id)}/items", {"format": format}, to)

    def download(self, name: str, to: Target) -> int:
        """Downloads a file that the run produced. See :meth:`Runs.download`."""
        return Runs(self._http).download(self.run_id, name, to)


OnProgress = Callable[[Progress], object]
Format = Literal["json", "ndjson", "csv"]


class Writer(Protocol):
    """An object that bytes can be written to, such as a file opened with ``"wb"``."""

    def write(self, data: bytes, /) -> object: ...


Target = Union[str, "os.PathLike[str]", Writer]
"""A path, or an open binary file."""

_RUN_FIELDS = [field.name for field in dataclasses.fields(Run) if field.name not in ("item_count", "_http")]


class Runs:
    """The runs of the account: ``gleaner.runs``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def get(self, run_id: str) -> Run:
        """Returns the current state of a run."""
        return _read(self._http, run_id, 0, _Deadline())

    def list(
        self, *, status: Optional[Union[RunStatus, Literal["canceled"]]] = None, task_key: Optional[str] = None
    ) -> Iterator[Run]:
        """Yields all runs, newest first."""
        query = {"status": status, "task_key": task_key}
        return (_run(self._http, answer) for answer in self._http.each("/v1/runs", "runs", query))

    def wait(
        self,
        run_id: str,
        *,
        on_progress: Optional[OnProgress] = None,
        timeout_s: Optional[float] = None,
        poll: bool = False,
    ) -> Run:
        """Waits for the end of a run and returns it, regardless of its outcome.

        :param on_progress: called with the run's progress whenever it changes
        :param timeout_s: how long to wait, in seconds; by default until the end
        :param poll: poll the run: after 3 seconds, then after twice as long each time up to 30 seconds, each interval
            multiplied by a random factor from 0.9 to 1.1. By default the service holds the response until the run ends.
        :raises GleanerError: ``timeout`` if the run did not end in time. It continues; :meth:`cancel` ends it.
        """
        return _wait(self._http, run_id, on_progress, _Deadline(timeout_s, run_id), poll)

    def cancel(self, run_id: str) -> Run:
        """Requests cancellation of a run. A queued run is cancelled immediately, a running one within ten seconds.

        :raises GleanerError: ``run-finished`` if the run has already ended in another way
        """
        try:
            return _run(self._http, self._http.call("POST", f"/v1/runs/{_quoted(run_id)}/cancel", body={}))
        except GleanerError as error:
            if error.code != "run-finished":
                raise
            # An earlier attempt may have cancelled the run, and its response was lost.
            run = self.get(run_id)
            if run.run_status != "cancelled":
                raise
            return run

    def items(self, run_id: str, *, timeout_s: Optional[float] = None, poll: bool = False) -> Iterator[Item]:
        """Waits for the end of a run, then yields its items.

        :param timeout_s: see :meth:`wait`
        :param poll: see :meth:`wait`
        :raises RunFailed: after the last item, if the run did not succeed
        :raises GleanerError: ``result-expired`` if the result was deleted, by default 30 days after the end of the run
        """
        yield from self.wait(run_id, timeout_s=timeout_s, poll=poll).items()

    def items_so_far(self, run_id: str) -> List[Item]:
        """Returns the items of a run so far, without waiting; all of them once it has ended.

        A run that works may start over, and then has other items.
        """
        return self._http.call("GET", f"/v1/runs/{_quoted(run_id)}/items")

    def events(self, run_id: str, *, after: Optional[str] = None) -> Generator[Event, None, None]:
        """Yields the events of a run as they happen, from the first to the last one. Resumes automatically.

        :param after: the ``sequence`` of an event; yields only the events after it
        """
        return self._http.stream(f"/v1/runs/{_quoted(run_id)}/events", {}, after, until=_ENDS)

    def export(self, run_id: str, to: Target, *, format: Format = "json") -> int:
        """Waits for the end of a run, then writes its items to a file as JSON, newline-delimited JSON or CSV.

        :param to: a path, where the file appears once it is complete; or an open binary file
        :returns: the number of bytes written
        """
        return self.wait(run_id).export(to, format=format)

    def download(self, run_id: str, name: str, to: Target) -> int:
        """Downloads a file that the run produced. The download resumes if the connection breaks.

        :param name: the ``name`` of one of the run's ``artifacts``
        :param to: a path, where the file appears once it is complete; or an open binary file
        :returns: the number of bytes written
        """
        return self._http.download(f"/v1/runs/{_quoted(run_id)}/artifacts/{_quoted(name)}", {}, to)


# Everything else


class Tasks:
    """The available tasks: ``gleaner.tasks``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def list(self) -> List[Task]:
        """Returns all tasks, with their prices, schemas, examples and health."""
        return self._http.all("/v1/tasks", "tasks")

    def get(self, task_key: str) -> Task:
        """Returns one task."""
        return self._http.call("GET", f"/v1/tasks/{_quoted(task_key)}")

    def health(self, task_key: str, days: int = 14) -> TaskHealth:
        """Returns how a task stands, and how its runs went on each of the last ``days`` days (1 to 90)."""
        return self._http.call("GET", f"/v1/tasks/{_quoted(task_key)}/health", query={"days": days})


class AccountCalls:
    """The account that owns the API key: ``gleaner.account``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def get(self) -> Account:
        """Returns the account: its balance in credits, the tasks that it may run, and its limits."""
        return self._http.call("GET", "/v1/account")

    def ledger(self) -> Iterator[LedgerEntry]:
        """Yields all grants, charges and refunds, newest first."""
        return self._http.each("/v1/account/ledger", "entries", {})


class Logins:
    """The saved logins of the account: ``gleaner.logins``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def list(self) -> List[Login]:
        """Returns one login for each source that supports signing in, sorted by name."""
        return self._http.all("/v1/logins", "logins")

    def start(self, source: str, *, idempotency_key: Optional[str] = None) -> StartedLogin:
        """Creates a link for signing in, before a task needs a login or to replace a login.

        :param idempotency_key: your own instead of a random one: calls with the same one return the same link, until it is
            opened or expires
        """
        return self._http.create(f"/v1/logins/{_quoted(source)}", None, idempotency_key)

    def delete(self, source: str) -> Login:
        """Deletes the saved login of a source."""
        return self._http.call("DELETE", f"/v1/logins/{_quoted(source)}")


class Keys:
    """The API keys of the account: ``gleaner.keys``. These calls need the scope ``admin``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def list(self) -> List[Key]:
        """Returns all keys, newest first, including revoked and expired ones."""
        return self._http.all("/admin/list-keys", "keys")

    def create(
        self,
        *,
        name: Optional[str] = None,
        scopes: Optional[Sequence[Scope]] = None,
        expires_at: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> NewKey:
        """Creates a key. ``api_key`` in the response is the key itself. It is shown only once. It is None if an earlier
        attempt or call with the same ``idempotency_key`` created it and the response was lost: then revoke it, and create
        another one.

        :param scopes: ``["runs"]`` by default
        :param expires_at: a future time, RFC 3339; by default the key never expires
        :param idempotency_key: your own instead of a random one: calls with the same one create one key
        """
        body = _given(name=name, scopes=scopes, expires_at=expires_at)
        return self._http.create("/admin/create-key", body, idempotency_key)

    def revoke(self, key_id: str) -> Key:
        """Revokes a key. It is rejected from the next request on."""
        return self._http.call("POST", "/admin/revoke-key", body={"key_id": key_id})


class Webhooks:
    """The endpoints that receive the account's events: ``gleaner.webhooks``. These calls need the scope ``admin``."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def list(self) -> List[Webhook]:
        """Returns all endpoints."""
        return self._http.all("/v1/webhooks", "webhooks")

    def create(
        self,
        url: str,
        *,
        types: Optional[Sequence[str]] = None,
        description: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> NewWebhook:
        """Creates an endpoint. ``secret`` in the response signs its deliveries. It is shown only once. It is None if an
        earlier attempt or call with the same ``idempotency_key`` created the endpoint and the response was lost: then
        rotate it.

        :param url: an ``https`` URL whose host is public; others only if the operator allows their host
        :param types: event types; by default the five that end a run
        :param idempotency_key: your own instead of a random one: calls with the same one create one endpoint
        """
        body = _given(url=url, types=types, description=description)
        return self._http.create("/v1/webhooks", body, idempotency_key)

    def get(self, webhook_id: str) -> Webhook:
        """Returns one endpoint."""
        return self._http.call("GET", _webhook(webhook_id))

    def update(self, webhook_id: str, changes: WebhookChanges) -> Webhook:
        """Changes an endpoint. ``{"state": "enabled"}`` enables a disabled one again."""
        return self._http.call("PATCH", _webhook(webhook_id), body=changes)

    def delete(self, webhook_id: str) -> None:
        """Deletes an endpoint."""
        try:
            self._http.call("DELETE", _webhook(webhook_id))
        except GleanerError as error:
            if error.code != "not-found" or not error.is_repeat:
                raise

    def rotate_secret(self, webhook_id: str) -> WebhookWithSecret:
        """Creates a new ``secret``. For 24 hours, the old and the new one both sign deliveries: verify with both."""
        path = _webhook(webhook_id, "rotate-secret")
        return self._http.call("POST", path, repeatable=False)

    def test(self, webhook_id: str) -> WebhookTest:
        """Sends an event of the type ``gleaner.WebhookTest`` once, immediately. Success enables a disabled endpoint."""
        path = _webhook(webhook_id, "test")
        return self._http.call("POST", path, repeatable=False)

    def deliveries(
        self, webhook_id: str, *, state: Optional[Literal["delivered", "pending", "failed"]] = None
    ) -> Iterator[Delivery]:
        """Yields the deliveries of the last 30 days, newest first."""
        return self._http.each(_webhook(webhook_id, "deliveries"), "deliveries", {"state": state})

    def replay(
        self,
        webhook_id: str,
        *,
        event_id: Optional[str] = None,
        from_: Optional[str] = None,
        until: Optional[str] = None,
        only_failed: Optional[bool] = None,
    ) -> Replay:
        """Delivers one event again, or the events of a period that have the endpoint's types.

        :param from_: the time of the first event; use it with ``until`` and ``only_failed`` instead of ``event_id``
        """
        body = {**_given(event_id=event_id, until=until, only_failed=only_failed), **_given(**{"from": from_})}
        path = _webhook(webhook_id, "replay")
        return self._http.call("POST", path, body=body, repeatable=False)


class Operator:
    """Calls that need the operator's key: ``gleaner.operator``. Each call sends an Idempotency-Key."""

    def __init__(self, http: _Http) -> None:
        self._http = http

    def open_account(
        self, name: str, *, credits: int = 0, idempotency_key: Optional[str] = None
    ) -> OpenedAccount:
        """Opens an account. ``api_key`` in the response is its first key. It is shown only once."""
        body = {"name": name, "credits": credits}
        return self._http.create("/admin/accounts", body, idempotency_key)

    def grant_credits(
        self,
        account_id: str,
        amount: int,
        *,
        reason: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> GrantedCredits:
        """Grants credits to an account."""
        body = _given(account_id=account_id, amount=amount, reason=reason)
        return self._http.create("/admin/grant-credits", body, idempotency_key)

    def set_entitlements(
        self,
        account_id: str,
        *,
        tasks: Optional[Sequence[str]] = None,
        limits: Optional[LimitChanges] = None,
        suspended: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Account:
        """Sets the permissions of an account, effective from its next request on. Omitted settings stay unchanged.

        :param tasks: ``*``, patterns like ``forum.*``, and task keys
        """
        body = _given(account_id=account_id, tasks=tasks, limits=limits, suspended=suspended)
        return self._http.create("/admin/set-entitlements", body, idempotency_key)


class Gleaner:
    """A client with one API key.

    :param url: the URL of the service, with its path prefix if it has one
    :param api_key: ``gln_…``
    :param retry_for_s: how long a failing call is retried, in seconds; for a stream, counted since it last received
        something. 0: never
    :param timeout_s: the longest silence of the service in one attempt, in seconds: before the response begins, and
        between its parts. The time for which a call lets the service wait, such as for the end of a run, is added
    :param ssl_context: for https; by default the system's certificates, or the ones that ``SSL_CERT_FILE`` names

    Proxies are taken from the environment (``HTTPS_PROXY``, ``HTTP_PROXY``, ``NO_PROXY``).
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        retry_for_s: float = 60,
        timeout_s: float = 30,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._http = _Http(url, api_key, retry_for_s, timeout_s, ssl_context)
        self._known_tasks: Dict[str, Task] = {}
        self.runs = Runs(self._http)
        self.tasks = Tasks(self._http)
        self.account = AccountCalls(self._http)
        self.logins = Logins(self._http)
        self.keys = Keys(self._http)
        self.webhooks = Webhooks(self._http)
        self.operator = Operator(self._http)

    def run(
        self,
        task_key: str,
        input: Input,
        *,
        on_progress: Optional[OnProgress] = None,
        idempotency_key: Optional[str] = None,
        title: Optional[str] = None,
        timeout_s: Optional[float] = None,
        poll: bool = False,
    ) -> Run:
        """Starts a run, waits for its end and returns it.

        :param task_key: such as ``encyclopedia.search``; ``gleaner.tasks.list()`` returns all tasks
        :param input: the fields that the task's ``input_schema`` declares
        :param on_progress: called with the run's progress whenever it changes
        :param idempotency_key: your own key instead of a random one. The same key returns the same run, also in another
            process, and the run is paid for once
        :param title: ``title`` of the run, by which people recognize it: 1 to 100 characters. By default a summary of the
            input
        :param timeout_s: how long to wait, in seconds; by default until the end
        :param poll: see :meth:`Runs.wait`
        :raises RunFailed: if the run ended, but did not succeed
        :raises LoginRequired: if the account has no working login at the source
        :raises GleanerError: if the service rejected the call or could not be reached; ``timeout`` if the run did not
            end in time. It continues.
        """
        input = _titled(input, title)
        return _succeeded(self._run(task_key, input, idempotency_key, on_progress, timeout_s, poll)[0])

    def _run(
        self,
        task_key: str,
        input: Input,
        key: Optional[str],
        on_progress: Optional[OnProgress],
        timeout_s: Optional[float],
        poll: bool,
    ) -> Tuple[Run, bool]:
        """Returns a run that has ended, and whether an earlier call with the same key had started it."""
        deadline = _Deadline(timeout_s)
        run, is_earlier = self._start(task_key, input, key, deadline)
        if not run.is_terminal:
            deadline.run_id = run.run_id
            run = _wait(self._http, run.run_id, on_progress, deadline, poll)
        return run, is_earlier

    def start(
        self,
        task_key: str,
        input: Input,
        *,
        idempotency_key: Optional[str] = None,
        title: Optional[str] = None,
    ) -> Run:
        """Starts a run and returns it without waiting. See :meth:`run`."""
        return self._start(task_key, _titled(input, title), idempotency_key, _Deadline())[0]

    def pages(
        self,
        task_key: str,
        input: Input,
        *,
        on_progress: Optional[OnProgress] = None,
        idempotency_key: Optional[str] = None,
        title: Optional[str] = None,
        timeout_s: Optional[float] = None,
        poll: bool = False,
        max_pages: Optional[int] = None,
    ) -> Iterator[Run]:
        """Runs a task page by page, following ``next_cursor``.

        Each page is a separate run, at the price of the task. The next run starts only when you request the next page,
        so ``break`` stops the cost.

        :param idempotency_key: your own key instead of a random one. With it, a restarted program does not pay
            again for pages that it has paid for: it receives them again and pays only for new ones
        :param title: of each page's run; see :meth:`run`
        :param timeout_s: how long to wait for each page, in seconds
        :param max_pages: the maximum number of pages
        :raises RunFailed: if the run of a page did not succeed
        """
        key = idempotency_key or str(uuid.uuid4())
        # A later page would be refused, after the ones before it were paid for.
        if len(key) > _LONGEST_KEY_OF_PAGES:
            limit = f"For pages, idempotency_key must be at most {_LONGEST_KEY_OF_PAGES} characters"
            raise GleanerError("bad-idempotency-key", f"{limit}: page numbers are added to it.")
        input = _titled(input, title)
        current: Input = input
        for number in itertools.count(1):
            if max_pages is not None and number > max_pages:
                return
            page_key = key if number == 1 else f"{key}/{number}"
            # A page whose run failed in an earlier call with the same key is run again, under a further key.
            for attempt in itertools.count(1):
                attempt_key = page_key if attempt == 1 else f"{page_key}~{attempt}"
                run, is_earlier = self._run(task_key, current, attempt_key, on_progress, timeout_s, poll)
                if idempotency_key is None or not is_earlier or run.run_status == "succeeded":
                    break
            yield _succeeded(run)
            cursor = (run.result or {}).get("next_cursor")
            fields = self._task(task_key)["input_schema"].get("properties", {})
            name = next((name for name in ("cursor", "after") if name in fields), None)
            # A page whose cursor points to itself would be requested and paid for forever.
            if cursor is None or name is None or cursor == current.get(name):
                return
            # A page number or a backward cursor makes no sense together with the forward cursor.
            rest = {field: value for field, value in input.items() if field not in ("page", "before")}
            current = {**rest, name: cursor}

    def items(
        self,
        task_key: str,
        input: Input,
        *,
        on_progress: Optional[OnProgress] = None,
        idempotency_key: Optional[str] = None,
        title: Optional[str] = None,
        timeout_s: Optional[float] = None,
        poll: bool = False,
        max_pages: Optional[int] = None,
    ) -> Iterator[Item]:
        """Yields the items of all pages of a task. Each page is a separate run. See :meth:`pages`."""
        for page in self.pages(
            task_key,
            input,
            on_progress=on_progress,
            idempotency_key=idempotency_key,
            title=title,
            timeout_s=timeout_s,
            poll=poll,
            max_pages=max_pages,
        ):
            yield from page.items()

    def events(
        self, *, after: Optional[str] = None, types: Optional[Sequence[str]] = None
    ) -> Generator[Event, None, None]:
        """Yields the events of the account: first the past ones, then live events without end. Resumes automatically.

        Needs a key with the scope ``events``. Store the ``sequence`` of the last event that you handled, and pass it as
        ``after`` to continue after a restart of your program. The connection is closed together with the iterator: by
        ``break`` or ``contextlib.closing``.

        :param after: only events after this position; by default from the first event
        :param types: only events of these types, such as ``["RunSucceeded"]``
        """
        names = None if types is None else ",".join(types)
        return self._http.stream("/v1/events/stream", {"types": names}, after)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[object] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Sends any other call of the API. Retried like the others, but not a POST or PATCH that may have arrived.

        :param path: the path, starting with ``/v1`` or ``/admin``
        :param idempotency_key: makes a POST safe to retry, if the call supports it
        :returns: the JSON of the response; None if it has no body
        """
        repeatable = method.upper() not in ("POST", "PATCH") or idempotency_key is not None
        return self._http.call(
            method.upper(), path, query=query, body=body, key=idempotency_key, repeatable=repeatable
        )

    def _task(self, task_key: str, deadline: Optional[_Deadline] = None) -> Task:
        """Returns a task, cached after the first read. Its path and input schema are needed."""
        if task_key not in self._known_tasks:
            path = f"/v1/tasks/{_quoted(task_key)}"
            task = self._http.call("GET", path, deadline=deadline)
            if not isinstance(_field(task, "path"), str) or not isinstance(_field(task, "input_schema"), dict):
                raise GleanerError("unexpected-answer", "The response is not a task. Check the url.")
            self._known_tasks[task_key] = task
        return self._known_tasks[task_key]

    def _start(
        self, task_key: str, input: Input, key: Optional[str], deadline: _Deadline
    ) -> Tuple[Run, bool]:
        body = dict(input)

        def fill_in(field: re.Match[str]) -> str:
            name = field[1]
            # None would become the text "None", and the run would read a place of that name.
            if body.get(name) in (None, ""):
                missing = {"pointer": f"/{name}", "code": "missing-field", "detail": "is required"}
                raise GleanerError("validation-failed", f"/{name} is required", None, {"errors": [missing]})
            return _quoted(str(body.pop(name)))

        key = key or str(uuid.uuid4())
        try:
            path = re.sub(r":(\w+)", fill_in, self._task(task_key, deadline)["path"])
        except GleanerError as error:
            error.idempotency_key = key
            raise
        seen: Dict[str, str] = {}
        answer = self._http.call("POST", path, body=body, key=key, deadline=deadline, seen=seen)
        return _run(self._http, answer), "idempotency-replayed" in seen


# Webhooks


class Headers(Protocol):
    """Headers with names in any case: a dict, or the headers object of ``http.server``, Flask, Django or Starlette."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


def verify_webhook(
    payload: Union[str, bytes],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    tolerance_s: float = 300,
) -> Event:
    """Verifies the signature (Standard Webhooks 1.0) and the time of a webhook delivery, and returns its event.

    :param payload: the raw body of the request, not parsed and serialized again
    :param secret: ``whsec_…``, or several secrets while you rotate them
    :param tolerance_s: the maximum difference between the delivery's time and this machine's clock, in seconds
    :raises GleanerError: ``invalid-webhook`` if the delivery is not from the service, or its time is too far from now:
        respond with 400 and ignore it
    :raises ValueError: if the secret is missing or malformed
    """
    if not secret:
        raise ValueError("secret is missing. It is shown when a webhook is created and starts with whsec_")
    keys = [_signing_key(text) for text in ([secret] if isinstance(secret, str) else secret)]
    sent = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not sent.get(name):
            raise GleanerError("invalid-webhook", f"The header {name} is missing.")
    timestamp = sent["webhook-timestamp"]
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise GleanerError("invalid-webhook", "The header webhook-timestamp is not a number of seconds.")
    if abs(time.time() - int(timestamp)) > tolerance_s:
        detail = f"The timestamp differs from this machine's clock by more than {tolerance_s:g} seconds. Check the clock."
        raise GleanerError("invalid-webhook", detail)
    content = payload.encode(errors="replace") if isinstance(payload, str) else payload
    signed = f"{sent['webhook-id']}.{timestamp}.".encode(errors="replace") + content
    expected = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    given = sent["webhook-signature"].encode(errors="replace").split(b" ")
    passed = [text[len(b"v1,") :] for text in given if text.startswith(b"v1,")]
    # Compares every pair without stopping at a match, so the duration does not reveal which signature matched.
    if not any([hmac.compare_digest(one, other) for one in expected for other in passed]):
        raise GleanerError("invalid-webhook", "No signature matches. Check that the secret belongs to this endpoint.")
    try:
        event: Event = json.loads(content)
    except ValueError as cause:
        raise GleanerError("invalid-webhook", f"The payload is signed, but is not valid JSON: {cause}") from cause
    return event


def _signing_key(secret: str) -> bytes:
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("secret must be a webhook secret: whsec_ followed by base64")
    return key


# Internals

Query = Mapping[str, Union[str, int, None]]

FIRST_POLL_S = 3.0
LONGEST_POLL_S = 30.0
HOLD_S = 30
"""How long the service is asked to hold its response. Proxies close a connection that is silent for a minute."""
PROGRESS_EVERY_S = 2
"""The same as ``HOLD_S``, if ``on_progress`` is given."""
SHORTEST_PAUSE_S = 1.0
QUIET_S = 20.0
"""A stream that is silent for this long is considered dead: the service sends something at least every 8 seconds."""
SLACK_S = 2.0
FIRST_RETRY_S = 0.25
LONGEST_RETRY_S = 8.0
CHUNK_BYTES = 64 * 1024

# The service takes 255.
_LONGEST_KEY_OF_PAGES = 245
_ENDS = frozenset(f"gleaner.Run{end}" for end in ("Succeeded", "Failed", "Errored", "Cancelled", "Expired"))


class _Http:
    """The transport for one service and one API key: calls with retries, pagination, streams and downloads."""

    def __init__(
        self,
        url: str,
        api_key: str,
        retry_for_s: float,
        timeout_s: float,
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        bare = parts.scheme in ("http", "https") and parts.netloc and "@" not in parts.netloc
        if not bare or parts.query or parts.fragment or parts.port == 0:
            raise ValueError("url must be the address of the service, like https://gleaner.example.com or http://host:3000")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be an API key: printable characters without spaces or line breaks")
        self._url = url.rstrip("/")
        self._api_key = api_key
        self._retry_for_s = retry_for_s
        self._timeout_s = timeout_s
        # There is no redirect handler: a redirect to another host would send the key there.
        self._opener = urllib.request.OpenerDirector()
        self._opener.add_handler(urllib.request.ProxyHandler())
        self._opener.add_handler(_HttpHandler())
        self._opener.add_handler(_HttpsHandler(context=ssl_context))

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[object] = None,
        key: Optional[str] = None,
        repeatable: bool = True,
        deadline: Optional[_Deadline] = None,
        seen: Optional[Dict[str, str]] = None,
    ) -> Any:
        """Sends a call, with retries, and returns the JSON of the response; None if the response has no body.

        :param key: the Idempotency-Key
        :param repeatable: whether the call may be sent again if the service may have received it
        :param seen: gets the headers of the response, by name in lower case
        """
        if key is not None and not re.fullmatch(r"[\x20-\x7e]{1,255}", key):
            raise GleanerError("bad-idempotency-key", "idempotency_key must be 1 to 255 printable ASCII characters.")
        headers = {} if key is None else {"Idempotency-Key": key}
        limit = deadline or _Deadline()
        retries = _Retries(self._retry_for_s, limit, repeatable)
        while True:
            try:
                timeout_s = min(self._timeout_s + _held_s(path, query, body), limit.left_s() + SLACK_S)
                with self._send(method, path, query, headers, timeout_s, body) as response:
                    with _as_lost_connection():
                        content = response.read()
                if seen is not None:
                    seen.update((name.lower(), value) for name, value in response.headers.items())
                return _parsed(content) if content else None
            except GleanerError as error:
                error.idempotency_key = key
                retries.wait_or_raise(error)

    def create(self, path: str, body: Optional[object], key: Optional[str]) -> Any:
        """Posts what takes effect once for each Idempotency-Key; by default a random one, which the retries share."""
        return self.call("POST", path, body=body, key=key or str(uuid.uuid4()))

    def all(self, path: str, name: str) -> Any:
        """Returns the elements of a list that is not paginated."""
        return _field(self.call("GET", path), name)

    def each(self, path: str, name: str, query: Query) -> Iterator[Any]:
        """Yields the elements of a paginated list, from all pages."""
        cursor: Optional[str] = None
        while True:
            page = self.call("GET", path, query={**query, "cursor": cursor})
            yield from _field(page, name)
            cursor = _field(page, "next_cursor")
            if cursor is None:
                return

    def stream(
        self, path: str, query: Query, after: Optional[str], until: FrozenSet[str] = frozenset()
    ) -> Generator[Event, None, None]:
        """Yields events and reconnects as needed. Each connection resumes after the last event received.

        :param until: the event types that end the stream
        """
        position = after
        retries = _Retries(self._retry_for_s)
        while True:
            headers = {"Accept": "text/event-stream"}
            if position is not None:
                headers["Last-Event-ID"] = position
            try:
                with self._send("GET", path, query, headers, QUIET_S) as response:
                    if response.status == 204:
                        return
                    for position_now, data in _blocks(response):
                        retries.begin_anew()
                        position = position_now or position
                        if data is None:
                            continue
                        event: Event = _parsed(data)
                        kind = _field(event, "type")
                        yield event
                        if kind in until:
                            return
                raise GleanerError("connection-failed", f"The stream of {path} ended.")
            except GleanerError as error:
                retries.wait_or_raise(error)

    def download(self, path: str, query: Query, to: Target) -> int:
        """Writes the body of a response to a file, or to a path once it is complete. Returns the number of bytes."""
        if not isinstance(to, (str, os.PathLike)):
            return self._copy(path, query, to)
        part = f"{os.fspath(to)}.part"
        try:
            with open(part, "wb") as file:
                size = self._copy(path, query, file)
            os.replace(part, to)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)
            raise
        return size

    def _copy(self, path: str, query: Query, file: Writer) -> int:
        written = 0
        tag: Optional[str] = None
        retries = _Retries(self._retry_for_s)
        while True:
            headers = {"Accept": "*/*"}
            if written > 0 and tag:
                headers.update({"Range": f"bytes={written}-", "If-Range": tag})
            try:
                with self._send("GET", path, query, headers, self._timeout_s) as response:
                    if written > 0 and response.headers["ETag"] != tag:
                        raise GleanerError("file-changed", f"{path} changed while it was downloaded. Start again.")
                    tag = response.headers["ETag"]
                    # A response without a range starts from the beginning: skip the bytes already written.
                    skip = 0 if response.status == 206 else written
                    for chunk in _chunks(response):
                        rest = chunk[skip:]
                        skip -= len(chunk) - len(rest)
                        # Bytes that are received again are no progress.
                        if rest:
                            retries.begin_anew()
                        file.write(rest)
                        written += len(rest)
                if skip > 0:
                    raise GleanerError("file-changed", f"{path} became shorter while it was downloaded. Start again.")
                return written
            except GleanerError as error:
                retries.wait_or_raise(error)

    def _send(
        self,
        method: str,
        path: str,
        query: Optional[Query],
        headers: Mapping[str, str],
        timeout_s: float,
        body: Optional[object] = None,
    ) -> http.client.HTTPResponse:
        """Makes one attempt. Raises for any response other than 2xx."""
        given = _given(**(query or {}))
        request = urllib.request.Request(
            f"{self._url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else ""),
            data=None if body is None else json.dumps(body, allow_nan=False).encode(),
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {self._api_key}",
                "User-Agent": f"gleaner-python/{__version__}",
                **({} if body is None else {"Content-Type": "application/json"}),
                **headers,
            },
            method=method,
        )
        with _as_lost_connection():
            response: http.client.HTTPResponse = self._opener.open(request, timeout=timeout_s)
        if 200 <= response.status < 300:
            return response
        with response:
            raise _refusal(response)


class _Lines:
    """The lines before the body of a response. Raises if the connection ends between them."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._begun = False

    def readline(self, limit: int) -> bytes:
        line: bytes = self._file.readline(limit)
        if not line and self._begun:
            raise http.client.IncompleteRead(b"")
        self._begun = True
        return line

    def close(self) -> None:
        self._file.close()


class _Response(http.client.HTTPResponse):
    # http.client takes the end of the connection for the end of the headers: without a Content-Length, a response that
    # broke within them would be a whole one with an empty body.
    def begin(self, *args: Any, **named: Any) -> None:
        file = self.fp
        self.fp = cast(Any, _Lines(file))
        try:
            super().begin(*args, **named)
        finally:
            # http.client sets it to None when it has closed it.
            if self.fp is not None:
                self.fp = file


class _HttpConnection(http.client.HTTPConnection):
    response_class = _Response


class _HttpsConnection(http.client.HTTPSConnection):
    response_class = _Response


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_HttpConnection, req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def __init__(self, context: Optional[ssl.SSLContext]) -> None:
        super().__init__(context=context)
        self._ssl_context = context

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_HttpsConnection, req, context=self._ssl_context)


def _held_s(path: str, query: Optional[Query], body: Optional[object]) -> float:
    """Returns for how long the service may hold its response: for an endpoint, a replay, or the end of a run."""
    if path.startswith("/v1/webhooks/"):
        return 30 if path.endswith("/test") else 300 if path.endswith("/replay") else 0
    control = body.get("_run") if isinstance(body, dict) else None
    if isinstance(control, dict) and control.get("async") is False:
        return 60
    wait = str((query or {}).get("wait"))
    return int(wait) if re.fullmatch("[0-9]{1,3}", wait) else 0


def _run(http: _Http, answer: Mapping[str, Any]) -> Run:
    try:
        return Run(**{name: answer[name] for name in _RUN_FIELDS}, item_count=answer["items"], _http=http)
    except (KeyError, TypeError) as cause:
        raise GleanerError("unexpected-answer", "The response is not a run.") from cause


def _titled(input: Input, title: Optional[str]) -> Input:
    """Returns the input of a call that sets the title of its run."""
    return input if title is None else {**input, "_run": {**input.get("_run", {}), "title": title}}


def _succeeded(run: Run) -> Run:
    """Returns the run. Raises if the run did not succeed or its result was deleted."""
    if run.run_status != "succeeded":
        raise RunFailed(run)
    if run.result is None or "expired_at" in run.result:
        detail = "The run succeeded, but its result has been deleted. Start a new run with a different idempotency_key."
        raise GleanerError("result-expired", detail, None, {"run_id": run.run_id})
    return run


def _read(http: _Http, run_id: str, hold_s: int, deadline: _Deadline) -> Run:
    query = {"wait": hold_s} if hold_s > 0 else {}
    path = f"/v1/runs/{_quoted(run_id)}"
    return _run(http, http.call("GET", path, query=query, deadline=deadline))


def _wait(http: _Http, run_id: str, on_progress: Optional[OnProgress], deadline: _Deadline, poll: bool) -> Run:
    seen: Progress = {"done": 0, "total": None, "message": None}
    pause_s = FIRST_POLL_S
    longest_hold_s = HOLD_S if on_progress is None else PROGRESS_EVERY_S
    while True:
        if poll:
            deadline.sleep(pause_s * random.uniform(0.9, 1.1))
            pause_s = min(pause_s * 2, LONGEST_POLL_S)
        asked_at = time.monotonic()
        hold_s = 0 if poll else int(min(longest_hold_s, deadline.left_s()))
        run = _read(http, run_id, hold_s, deadline)
        if on_progress is not None and run.progress != seen:
            seen = run.progress
            on_progress(seen)
        if run.is_terminal:
            return run
        deadline.check()
        if not poll:
            # A service that is shutting down does not hold its responses: the pause avoids a busy loop.
            deadline.sleep(SHORTEST_PAUSE_S - (time.monotonic() - asked_at))


class _Deadline:
    """The time at which to stop waiting for a run."""

    def __init__(self, timeout_s: Optional[float] = None, run_id: Optional[str] = None) -> None:
        self._timeout_s = timeout_s
        self._at = math.inf if timeout_s is None else time.monotonic() + timeout_s
        self.run_id = run_id

    def left_s(self) -> float:
        return max(self._at - time.monotonic(), 0)

    def sleep(self, seconds: float) -> None:
        """Sleeps, at most until the deadline."""
        time.sleep(min(max(seconds, 0), self.left_s()))

    def check(self) -> None:
        """Raises the ``timeout`` error if the deadline has passed."""
        if self.left_s() == 0:
            raise self.error()

    def error(self) -> GleanerError:
        detail = f"The service did not confirm the start of the run within {self._timeout_s:g} seconds."
        if self.run_id:
            detail = f"{self.run_id} did not end within {self._timeout_s:g} seconds. The run continues."
        return GleanerError("timeout", detail, None, {"run_id": self.run_id})


class _Retries:
    """The retry state of one call: counts its failures and decides whether it is retried."""

    def __init__(
        self, retry_for_s: float, deadline: Optional[_Deadline] = None, repeatable: bool = True
    ) -> None:
        self._retry_for_s = retry_for_s
        self._deadline = deadline or _Deadline()
        self._repeatable = repeatable
        self._may_have_happened = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Resets the failures, because the service sent something."""
        self._failures = 0
        self._failing_since: Optional[float] = None

    def wait_or_raise(self, error: GleanerError) -> None:
        """Waits until the next attempt. Raises the error if the call must not be retried."""
        error.is_repeat = self._may_have_happened
        changed_nothing = _changed_nothing(error)
        if not _is_passing(error) or not (self._repeatable or changed_nothing):
            raise error
        self._may_have_happened = self._may_have_happened or not changed_nothing
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        backoff_s = min(FIRST_RETRY_S * 2**self._failures, LONGEST_RETRY_S) * random.uniform(0.5, 1)
        self._failures += 1
        delay_s = max(backoff_s, error.retry_after_s or 0)
        if delay_s >= self._deadline.left_s():
            late = self._deadline.error()
            late.idempotency_key = error.idempotency_key
            raise late from error
        if now + delay_s - self._failing_since > self._retry_for_s:
            raise error
        time.sleep(delay_s)


def _is_passing(error: GleanerError) -> bool:
    """Whether the error is transient: the same call may succeed later."""
    if error.code == "connection-failed":
        return not isinstance(_reason(error), ssl.SSLCertVerificationError)
    return error.status in (429, 502, 503, 504) or error.code == "idempotency-in-progress"


def _changed_nothing(error: GleanerError) -> bool:
    """Whether the call certainly had no effect."""
    if error.code == "connection-failed":
        return isinstance(_reason(error), (ConnectionRefusedError, socket.gaierror))
    return error.status == 429 or error.code in ("shutting-down", "idempotency-in-progress")


def _reason(error: GleanerError) -> object:
    cause = error.__cause__
    return cause.reason if isinstance(cause, urllib.error.URLError) else cause


@contextlib.contextmanager
def _as_lost_connection() -> Generator[None, None, None]:
    try:
        yield
    except http.client.InvalidURL:
        # The caller's mistake: a retry would not help.
        raise
    except (OSError, http.client.HTTPException) as cause:
        reason = cause.reason if isinstance(cause, urllib.error.URLError) else cause
        detail = f"The service could not be reached, or the connection broke: {reason or type(reason).__name__}"
        raise GleanerError("connection-failed", detail) from cause


def _refusal(response: http.client.HTTPResponse) -> GleanerError:
    """Converts an error response to an exception."""
    with _as_lost_connection():
        content = response.read()
    problem: Dict[str, Any] = {}
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        problem.update(json.loads(content))
    if not isinstance(problem.get("retry_after_s", 0), (int, float)):
        del problem["retry_after_s"]
    after_s = _seconds(response.headers["Retry-After"])
    if after_s is not None:
        problem.setdefault("retry_after_s", after_s)
    code = problem.get("code")
    if not isinstance(code, str) or not isinstance(problem.get("detail", ""), str):
        detail = f"{response.status} {response.reason}: the response is not from Gleaner. Check the url."
        return GleanerError("unexpected-answer", detail, response.status, problem)
    kind = LoginRequired if code == "login-required" else GleanerError
    return kind(code, problem.get("detail", ""), response.status, problem)


def _seconds(retry_after: Optional[str]) -> Optional[float]:
    """Converts a Retry-After header, a number of seconds or a date, to seconds from now."""
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", retry_after.strip()):
        return float(retry_after)
    try:
        return max(email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time(), 0)
    except (TypeError, ValueError):
        return None


def _parsed(content: Union[str, bytes]) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as cause:
        raise GleanerError("unexpected-answer", f"The response is not JSON: {cause}") from cause


def _field(answer: Any, name: str) -> Any:
    try:
        return answer[name]
    except (KeyError, TypeError) as cause:
        raise GleanerError("unexpected-answer", f"The response does not contain {name}.") from cause


def _blocks(response: http.client.HTTPResponse) -> Iterator[Tuple[Optional[str], Optional[str]]]:
    """Yields the id and data of each block of a Server-Sent Events stream, and ``(None, None)`` for a comment."""
    identifier: Optional[str] = None
    data: List[str] = []
    while True:
        with _as_lost_connection():
            line = response.readline().decode(errors="replace")
        if not line.endswith("\n"):
            return
        name, _, value = line.rstrip("\r\n").partition(":")
        if name == "id":
            identifier = value.strip()
        elif name == "data":
            data.append(value[1:] if value.startswith(" ") else value)
        elif name == "":
            # An empty line ends a block. A line that starts with a colon is a comment.
            if line.startswith(":"):
                yield None, None
            elif identifier is not None or data:
                yield identifier, "\n".join(data) if data else None
                identifier, data = None, []


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields the body of a response in chunks. Raises if the connection breaks before the end of the body."""
    left = response.length
    while True:
        with _as_lost_connection():
            chunk = response.read(CHUNK_BYTES)
            if not chunk and left:
                raise http.client.IncompleteRead(b"", left)
        if not chunk:
            return
        if left is not None:
            left -= len(chunk)
        yield chunk


def _quoted(part: str) -> str:
    """Percent-encodes one segment of a path."""
    return urllib.parse.quote(part, safe="")


def _webhook(webhook_id: str, *rest: str) -> str:
    return "/".join(["/v1/webhooks", _quoted(webhook_id), *rest])


def _given(**fields: Any) -> Dict[str, Any]:
    """Returns the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}
