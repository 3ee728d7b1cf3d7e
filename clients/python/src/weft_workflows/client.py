"""The client of the REST API: a service, and a namespace of it."""

import base64
import json
import ssl
import time
import uuid
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, cast

from . import operations as shapes
from .errors import RunError, UnreachableError, WeftError
from .transport import Query, Transport, json_bytes

NOT_FOUND = 404
CONFLICT = 409
GATEWAY_TIMEOUT = 504
#: Longer than the service keeps a request that waits on AWS, 280 s.
WAIT_SECONDS = 300.0
FIRST_POLL = 0.1
MAX_POLL = 2.0
PAGE = 200


def _rows(read: Callable[..., Any], page_of: Callable[[Any], Any], query: Optional[Query] = None) -> Iterator[Any]:
    """The rows of a list, read in pages: the service returns at most 1,000 at once."""
    after: Dict[str, str] = {}
    while True:
        page = page_of(read(query={**(query or {}), "first": PAGE, **after}))
        yield from page["results"]
        if not page["pageInfo"]["hasNextPage"] or not page["results"]:
            return
        after = {"after": page["pageInfo"]["endCursor"]}


class Client:
    """A client of the service at a URL. Threads may share it.

    `timeout` is the longest silence of a connection in seconds, `attempts` how often a request is made that is safe
    to repeat, `context` the settings of TLS. Raises ValueError for a URL that is not of HTTP.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        timeout: float = 60.0,
        attempts: int = 5,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = Transport(url, key, timeout, attempts, context)

    def call(
        self,
        operation: str,
        *,
        query: Optional[Query] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        **path: str,
    ) -> Any:
        """Calls any operation of docs/api.md by its name: `call("getConfig", namespace="demo")`.

        Text and bytes are sent as they are, another body as JSON. Returns the JSON of the reply, its bytes, or None.
        Raises WeftError; ValueError for an operation or a path that does not exist.
        """
        return self._transport.call(operation, path, query=query, body=body, headers=headers)

    def namespaces(self) -> List[str]:
        """The names of the namespaces that the key is valid for. Raises WeftError."""
        read = partial(self.call, "listNamespaces")
        return [str(one["name"]) for one in _rows(read, lambda reply: reply)]

    def namespace(self, name: str) -> "Namespace":
        """The operations of a namespace. Makes no request."""
        return Namespace(self._transport, name)


class Namespace:
    """A namespace: its workflows, runs, events, variables, secrets and approvals. All methods raise WeftError."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport = transport
        self.name = name

    def _call(self, operation: str, path: Optional[Mapping[str, str]] = None, **options: Any) -> Any:
        return self._transport.call(operation, {"namespace": self.name, **(path or {})}, **options)

    def _list(self, operation: str, member: str, query: Optional[Query] = None) -> Iterator[Any]:
        return _rows(partial(self._call, operation), lambda reply: reply[member], query)

    # The namespace

    def create(self, exist_ok: bool = False) -> None:
        """Creates the namespace; with `exist_ok`, unless it exists."""
        self._unless(CONFLICT if exist_ok else 0, "createNamespace")

    def delete(self, recursive: bool = False) -> None:
        """Deletes the namespace; one with workflows only with `recursive`."""
        self._call("deleteNamespace", query={"recursive": recursive})

    def _unless(self, status: int, operation: str, path: Optional[Mapping[str, str]] = None) -> None:
        try:
            self._call(operation, path)
        except WeftError as error:
            if error.status != status:
                raise

    # Workflows

    def push(self, workflow: str, text: str) -> shapes.StoredRevisionReply:
        """Stores the text of a workflow: creates it with its directories, or a new revision if the text has changed.

        A text with mistakes raises WeftError with the status 406; `details["problems"]` has their places.
        """
        path = {"node": workflow}
        try:
            stored = cast(shapes.Workflow, self._call("getNode", path))
        except WeftError as error:
            if error.status != NOT_FOUND:
                raise
        else:
            # A directory has no revision; the service explains that.
            if "revision" in stored and base64.b64decode(stored["revision"]["source"]) == text.encode():
                return {"namespace": self.name, "node": stored["node"], "revision": stored["revision"]}
            return cast(shapes.StoredRevisionReply, self._call("updateWorkflow", path, body=text))
        folders = workflow.strip("/").split("/")[:-1]
        for n in range(len(folders)):
            self._unless(CONFLICT, "createDirectory", {"node": "/".join(folders[: n + 1])})
        return cast(shapes.StoredRevisionReply, self._call("createWorkflow", path, body=text))

    def workflow(self, workflow: str) -> shapes.Workflow:
        """A workflow with its latest revision, whose `source` is base64."""
        return cast(shapes.Workflow, self._call("getNode", {"node": workflow}))

    def delete_workflow(self, workflow: str) -> None:
        """Deletes a workflow. Its runs are kept."""
        self._call("deleteNode", {"node": workflow})

    # Runs

    def start(
        self,
        workflow: str,
        input: Any = None,
        *,
        key: Optional[str] = None,
        ref: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
    ) -> str:
        """Starts a run and returns its id.

        `key` is an idempotency key: the same key for the same workflow is the same run for 24 hours. Without one the
        call makes its own, so that its retries start one run. `input` is a value of JSON, {} by default.
        """
        options = self._start_options(input, key or str(uuid.uuid4()), ref, labels)
        reply = cast(shapes.StartedReply, self._call("executeWorkflow", {"node": workflow}, **options))
        return reply["instance"]

    def run(
        self,
        workflow: str,
        input: Any = None,
        *,
        key: Optional[str] = None,
        ref: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Runs a workflow as `start` does, waits for its end and returns its output.

        Raises RunError if the run fails, and TimeoutError after `timeout` seconds; the run continues then.
        """
        options = self._start_options(input, key or str(uuid.uuid4()), ref, labels)
        end = None if timeout is None else time.monotonic() + timeout
        options["headers"]["Accept"] = "application/json"
        while True:
            rest = WAIT_SECONDS if end is None else end - time.monotonic()
            if rest <= 0:
                raise TimeoutError(f"'{workflow}' has not ended after {timeout} seconds; the run continues")
            options["timeout"] = min(rest, WAIT_SECONDS)
            try:
                return json.loads(self._call("waitWorkflowWithBody", {"node": workflow}, **options))
            except WeftError as error:
                # The same key finds the run that has not ended.
                is_silent = isinstance(error, UnreachableError) and error.timed_out
                if not is_silent and error.status != GATEWAY_TIMEOUT:
                    raise

    def _start_options(
        self, input: Any, key: str, ref: Optional[str], labels: Optional[Mapping[str, str]]
    ) -> Dict[str, Any]:
        query: Dict[str, Optional[str]] = {"ref": ref}
        query.update({f"label.{name}": value for name, value in (labels or {}).items()})
        body = json_bytes({} if input is None else input)
        return {"query": query, "body": body, "headers": {"Idempotency-Key": key}, "is_repeatable": True}

    def wait(self, instance: str, *, timeout: Optional[float] = None) -> Any:
        """Waits for the end of a run and returns its output. Raises RunError and TimeoutError as `run`."""
        end = None if timeout is None else time.monotonic() + timeout
        poll = FIRST_POLL
        while True:
            reply = self.instance(instance)
            run = reply["instance"]
            if run["status"] == "complete":
                output = cast(shapes.InstanceDataReply, self._call("getInstanceOutput", {"instance": instance}))
                return json.loads(base64.b64decode(output["data"]))
            if run["status"] != "pending":
                message = f"the run {instance} failed: {run['errorCode']}: {run['errorMessage']}"
                raise RunError(message, instance=instance, code=run["errorCode"], details=reply)
            if end is not None and time.monotonic() + poll > end:
                raise TimeoutError(f"the run {instance} has not ended after {timeout} seconds; it continues")
            time.sleep(poll)
            poll = min(poll * 1.5, MAX_POLL)

    def instance(self, instance: str) -> shapes.InstanceReply:
        """A run with its status, the states that it has entered, and the error of one that failed."""
        return cast(shapes.InstanceReply, self._call("getInstance", {"instance": instance}))

    def instances(
        self, *, status: Optional[str] = None, workflow: Optional[str] = None, label: Optional[str] = None
    ) -> Iterator[shapes.InstanceRow]:
        """The runs, the newest first, read in pages; `label` is `name=value`."""
        wanted = [("STATUS", "MATCH", status), ("AS", "WORKFLOW", workflow), ("LABEL", "MATCH", label)]
        filters = [row for row in wanted if row[2] is not None]
        names = ("filter.field", "filter.type", "filter.val")
        query = {name: [str(row[n]) for row in filters] for n, name in enumerate(names)}
        return self._list("listInstances", "instances", query)

    def cancel(self, instance: str) -> None:
        """Cancels a run."""
        self._call("cancelInstance", {"instance": instance})

    def logs(self, instance: str, *, follow: bool = False) -> Iterator[shapes.LogLine]:
        """The lines of a run's log, read in pages; with `follow` also those to come, until the run has ended."""
        offset, poll = 0, FIRST_POLL
        while True:
            # Read before the lines: a run that has ended writes no more.
            is_pending = follow and self.instance(instance)["instance"]["status"] == "pending"
            query = {"offset": offset, "limit": PAGE}
            reply = self._call("getInstanceLogs", {"instance": instance}, query=query)
            lines = cast(shapes.InstanceLogsReply, reply)["results"]
            yield from lines
            offset += len(lines)
            if lines:
                poll = FIRST_POLL
            elif is_pending:
                time.sleep(poll)
                poll = min(poll * 1.5, MAX_POLL)
            else:
                return

    # Events

    def send_event(
        self, type: str, data: Any = None, *, source: str, id: Optional[str] = None, **attributes: str
    ) -> str:
        """Sends a CloudEvent and returns its id; `attributes` are further ones, such as `subject`.

        The service accepts an event once: sending one again with its `source` and `id` changes nothing.
        """
        name = id or str(uuid.uuid4())
        event = {**attributes, "specversion": "1.0", "id": name, "source": source, "type": type}
        if data is not None:
            event["data"] = data
        try:
            self._call("broadcastEvent", body=event, is_repeatable=True)
        except WeftError as error:
            if error.status != CONFLICT:
                raise
        return name

    # Variables

    def variables(self) -> List[shapes.Variable]:
        """The variables of the namespace, without their values."""
        return list(self._list("listNamespaceVariables", "variables"))

    def variable(self, name: str) -> bytes:
        """The value of a variable."""
        return cast(bytes, self._call("getNamespaceVariable", {"variable": name}))

    def set_variable(self, name: str, value: Any) -> None:
        """Sets a variable: text and bytes as they are, another value as JSON."""
        self._call("setNamespaceVariable", {"variable": name}, body=value)

    def delete_variable(self, name: str) -> None:
        """Deletes a variable."""
        self._call("deleteNamespaceVariable", {"variable": name})

    # Secrets

    def secrets(self) -> List[shapes.SecretRecord]:
        """The names of the secrets. No operation returns a value."""
        return list(self._list("listSecrets", "secrets"))

    def set_secret(self, name: str, value: str) -> None:
        """Sets a secret, also one that exists."""
        try:
            self._call("createSecret", {"secret": name}, body=value)
        except WeftError as error:
            if error.status != CONFLICT:
                raise
            self._call("overwriteSecret", {"secret": name}, body=value)

    def delete_secret(self, name: str) -> None:
        """Deletes a secret."""
        self._call("deleteSecret", {"secret": name})

    # Approvals

    def approvals(
        self, *, workflow: Optional[str] = None, assignee: Optional[str] = None
    ) -> List[shapes.ApprovalsReplyApprovalsItem]:
        """Up to 1,000 open approvals, the oldest first."""
        reply = self._call("listApprovals", query={"workflow": workflow, "assignee": assignee})
        return cast(shapes.ApprovalsReply, reply)["approvals"]

    def approval(self, instance: str) -> shapes.ApprovalReplyApproval:
        """The open approval of a run with its choices and its form."""
        return cast(shapes.ApprovalReply, self._call("getApproval", {"instance": instance}))["approval"]

    def decide(
        self, instance: str, choice: str, *, form: Optional[Mapping[str, Any]] = None, by: Optional[str] = None
    ) -> shapes.DecisionReply:
        """Decides the open approval of a run. The first decision counts."""
        body = {"choice": choice, "form": form or {}, **({} if by is None else {"by": by})}
        return cast(shapes.DecisionReply, self._call("decideApproval", {"instance": instance}, body=body))
