"""The runs of a namespace: starts, waits, lists and logs."""

import base64
import json
import time
import uuid
from typing import Any, Dict, Iterator, Mapping, Optional, cast

from . import operations as shapes
from . import scope
from .errors import RunError, UnreachableError, WeftError
from .transport import json_bytes

GATEWAY_TIMEOUT = 504
#: Longer than the service keeps a request that waits on AWS, 280 s.
WAIT_SECONDS = 300.0
FIRST_POLL = 0.1
MAX_POLL = 2.0


class Runs(scope.Scope):
    """The runs of a namespace."""

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
            query = {"offset": offset, "limit": scope.PAGE}
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
