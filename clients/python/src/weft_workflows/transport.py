"""Requests over HTTP with the standard library: errors, and retries of what is safe to repeat."""

import http.client
import json
import random
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Tuple, TypeVar, Union

from .errors import RunError, UnreachableError, WeftError
from .frames import frames_of
from .operations import OPERATIONS, Operation

Value = Union[str, int, float, bool]
Query = Mapping[str, Union[Value, Iterable[Value], None]]
T = TypeVar("T")

FIRST_DELAY = 0.5
MAX_DELAY = 30.0
TOO_MANY = 429
#: The service, or a proxy before it, is not able to serve the request now.
UNAVAILABLE = (502, 503, 504)
#: Requests by GET that start a run.
STARTS = ("waitWorkflow", "receiveWebhookByGet")


def delay_of(n: int) -> float:
    """The delay before attempt `n`, in seconds: exponential, with full jitter."""
    return random.random() * min(MAX_DELAY, FIRST_DELAY * float(2**n))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not be sent to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _encoded(name: str, value: str) -> str:
    if value == "":
        raise ValueError(f"'{name}' is empty")
    # The slashes of a path in the tree are not encoded.
    return urllib.parse.quote(value, safe="/" if name in ("node", "secret") else "")


def _text_of(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _query_text(op: Optional[str], query: Query) -> str:
    pairs = [] if op is None else [("op", op)]
    for name, value in query.items():
        if value is None:
            continue
        values = [value] if isinstance(value, (str, int, float)) else value
        pairs += [(name, _text_of(one)) for one in values]
    return urllib.parse.urlencode(pairs)


def content_of(body: Any) -> Tuple[bytes, str]:
    """The bytes of a body and their media type: text and bytes as they are, everything else as JSON."""
    if isinstance(body, (bytes, bytearray)):
        return bytes(body), "application/octet-stream"
    if isinstance(body, str):
        return body.encode(), "text/plain; charset=utf-8"
    return json_bytes(body), "application/json"


def json_bytes(value: Any) -> bytes:
    """A value as JSON. Raises TypeError and ValueError for what JSON cannot have, such as NaN."""
    return json.dumps(value, allow_nan=False).encode()


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _ending(headers: Mapping[str, str], end: str) -> str:
    """A header of the service, whose name begins with its brand."""
    return next((value for name, value in headers.items() if name.endswith(end)), "")


def _error_of(status: int, headers: Mapping[str, str], content: bytes) -> WeftError:
    details = _parsed(content)
    members = details if isinstance(details, dict) else {}
    plain = content.decode(errors="replace").strip()[:1000]
    message = str(members.get("message") or plain or f"the service replied {status}")
    code, instance = _ending(headers, "-instance-error-code"), _ending(headers, "-instance-id")
    if code:
        return RunError(message, instance=instance, code=code, status=status, details=details)
    return WeftError(message, status=status, details=details, headers=headers)


class Transport:
    """Sends requests to one service. `timeout` is the longest silence of a connection, in seconds."""

    def __init__(self, url: str, key: str, timeout: float, attempts: int, context: Optional[ssl.SSLContext]) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"'{url}' is no address of a service; write it like http://127.0.0.1:8080")
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._attempts = attempts
        https = urllib.request.HTTPSHandler(context=context)
        self._opener = urllib.request.build_opener(https, _NoRedirects)

    def call(
        self,
        operation: str,
        path: Mapping[str, str],
        *,
        query: Optional[Query] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        is_repeatable: Optional[bool] = None,
    ) -> Any:
        """Calls an operation; returns its JSON, its bytes, or None.

        A request is repeated if the service refused it for its load, cannot have received it, or if it
        `is_repeatable`, as a GET is. Raises WeftError.
        """
        row, request = self._request(operation, path, query, body, headers or {})
        is_read = row.method == "GET" and operation not in STARTS
        is_safe = is_read if is_repeatable is None else is_repeatable
        content = self._repeated(lambda: self._once(request, timeout or self._timeout), is_safe)
        if row.reply == "bytes":
            return content
        return json.loads(content) if row.reply == "json" else None

    def stream(
        self, operation: str, path: Mapping[str, str], *, query: Optional[Query], headers: Optional[Mapping[str, str]]
    ) -> Iterator[Any]:
        """Yields the JSON of each event of a stream until the service ends it. Raises WeftError."""
        row, request = self._request(operation, path, query, None, {"Accept": "text/event-stream", **(headers or {})})
        if not row.streams:
            names = ", ".join(name for name, one in OPERATIONS.items() if one.streams)
            raise ValueError(f"'{operation}' has no stream; these have one: {names}")
        return self._events(request)

    def _events(self, request: urllib.request.Request) -> Iterator[Any]:
        response = self._repeated(lambda: self._opened(request, self._timeout), True)
        with response, self._reaching():
            for event, data in frames_of(response):
                value = _parsed(data.encode())
                if event == "error":
                    message = (value if isinstance(value, dict) else {}).get("Message") or "the stream failed"
                    raise WeftError(str(message), status=response.status, details=value)
                if value is not None:
                    yield value

    def _request(
        self, operation: str, path: Mapping[str, str], query: Optional[Query], body: Any, headers: Mapping[str, str]
    ) -> Tuple[Operation, urllib.request.Request]:
        row = OPERATIONS.get(operation)
        if row is None:
            raise ValueError(f"no operation '{operation}' (docs/api.md lists them)")
        place = row.path
        for name, value in path.items():
            place = place.replace(f"{{{name}}}", _encoded(name, value))
        if "{" in place:
            raise ValueError(f"'{operation}' needs a value for each name in {row.path}")
        text = _query_text(row.op, query or {})
        url = f"{self._url}/api{place}{'?' + text if text else ''}"
        sent: Dict[str, str] = {"User-Agent": "weft-workflows-python", **headers}
        if self._key:
            sent["Service-Api-Key"] = self._key
        data = None
        if body is not None:
            data, sent["Content-Type"] = content_of(body)
        return row, urllib.request.Request(url, data, sent, method=row.method)

    def _repeated(self, send: Callable[[], T], is_safe: bool) -> T:
        for n in range(self._attempts):
            try:
                return send()
            except UnreachableError as error:
                if n + 1 >= self._attempts or error.timed_out or (error.was_sent and not is_safe):
                    raise
                delay = delay_of(n)
            except WeftError as error:
                # With a run in the reply, the service serves the request, and the run continues.
                is_down = error.status in UNAVAILABLE and not _ending(error.headers, "-instance-id")
                if n + 1 >= self._attempts or not (error.status == TOO_MANY or (is_safe and is_down)):
                    raise
                after = error.headers.get("retry-after", "")
                delay = min(float(after), 2 * MAX_DELAY) if after.isdecimal() else delay_of(n)
            time.sleep(delay)
        raise ValueError("'attempts' must be 1 or more")

    def _once(self, request: urllib.request.Request, timeout: float) -> bytes:
        with self._opened(request, timeout) as response, self._reaching():
            content: bytes = response.read()
            return content

    def _opened(self, request: urllib.request.Request, timeout: float) -> http.client.HTTPResponse:
        """The reply, whose body is not read. Raises WeftError."""
        with self._reaching():
            try:
                response: http.client.HTTPResponse = self._opener.open(request, timeout=timeout)
                return response
            except urllib.error.HTTPError as refused:
                with refused:
                    headers = {name.lower(): value for name, value in refused.headers.items()}
                    raise _error_of(refused.code, headers, refused.read()) from None

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Turns the errors of a connection into UnreachableError."""
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            was_sent = not isinstance(reason, (ConnectionRefusedError, socket.gaierror))
            timed_out = isinstance(reason, (socket.timeout, TimeoutError))
            message = f"{self._url} cannot be reached: {reason}"
            raise UnreachableError(message, was_sent=was_sent, timed_out=timed_out) from error
