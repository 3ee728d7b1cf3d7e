"""The client of the REST API: a service, and a namespace of it."""

import base64
import ssl
import uuid
from functools import partial
from typing import Any, Iterator, List, Mapping, Optional, cast

from . import operations as shapes
from .errors import WeftError
from .runs import Runs
from .scope import rows_of
from .transport import Query, Transport

NOT_FOUND = 404
CONFLICT = 409


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

    def stream(
        self,
        operation: str,
        *,
        query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None,
        **path: str,
    ) -> Iterator[Any]:
        """Watches an operation: yields its JSON now and after each change, until the service ends the stream.

        Closing the iterator, as the end of a `for` with `break` does, closes the connection. Raises WeftError;
        ValueError for an operation without a stream.
        """
        return self._transport.stream(operation, path, query=query, headers=headers)

    def namespaces(self) -> List[str]:
        """The names of the namespaces that the key is valid for. Raises WeftError."""
        read = partial(self.call, "listNamespaces")
        return [str(one["name"]) for one in rows_of(read, lambda reply: reply)]

    def namespace(self, name: str) -> "Namespace":
        """The operations of a namespace. Makes no request."""
        return Namespace(self._transport, name)


class Namespace(Runs):
    """A namespace: its workflows, runs, events, variables, secrets and approvals. All methods raise WeftError."""

    # The namespace

    def create(self, exist_ok: bool = False) -> None:
        """Creates the namespace; with `exist_ok`, unless it exists."""
        self._unless(CONFLICT if exist_ok else 0, "createNamespace")

    def delete(self, recursive: bool = False) -> None:
        """Deletes the namespace; one with workflows only with `recursive`."""
        self._call("deleteNamespace", query={"recursive": recursive})

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
