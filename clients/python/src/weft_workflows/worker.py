"""A worker: fetches tasks of queues over HTTP, calls a function for each, and reports the result (docs/workers.md)."""

import calendar
import logging
import signal
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, cast

from . import operations as shapes
from .errors import TaskError, UnreachableError, WeftError
from .transport import TOO_MANY, Transport, delay_of, json_bytes

CONFLICT = 409
SERVER_ERROR = 500
MAX_REPORTS = 8
#: More than the longest request of the service, one minute.
REQUEST_SECONDS = 90.0
#: The longest time until a signal takes effect.
SIGNAL_SECONDS = 0.2

log = logging.getLogger("weft_workflows")


@dataclass(frozen=True)
class Task:
    """A task as the service gives it to a worker. Times are RFC 3339 texts."""

    id: str
    #: The id of the lease, which each report about the task sends.
    lease: str
    lease_until: str
    #: When the workflow stops waiting.
    until: str
    #: The idempotency key: the same for all attempts and repetitions of the call.
    key: str
    #: The number of retries by the workflow before this call, from 0.
    attempt: int
    #: How often the task was fetched, from 1: more than 1 after an expired lease.
    taken: int
    priority: int
    created_at: str
    instance: str
    workflow: str
    state: str
    #: The trace of the run and the span of the call (W3C Trace Context).
    traceparent: str
    #: Integers have all their digits.
    input: Any
    #: Set when the worker has lost the lease: the result would be ignored.
    lost: threading.Event = field(default_factory=threading.Event, compare=False)

    @staticmethod
    def _of(row: shapes.TasksReplyTasksItem) -> "Task":
        values: Dict[str, Any] = dict(row)
        values["id"] = values.pop("task")
        values["lease_until"] = values.pop("leaseUntil")
        values["created_at"] = values.pop("createdAt")
        fields: Dict[str, Any] = {name: values.get(name) for name in Task.__dataclass_fields__ if name != "lost"}
        return Task(**fields)


#: Performs a task and returns its result, a value of JSON.
Handler = Callable[[Task], Any]


def _may_pass(error: Exception) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, UnreachableError):
        return True
    return isinstance(error, WeftError) and (error.status >= SERVER_ERROR or error.status == TOO_MANY)


class _Queue:
    """Serves one queue: a thread polls, and each task has a thread."""

    def __init__(self, worker: "Worker", name: str, handle: Handler, concurrency: int, lease: Optional[str]) -> None:
        self._worker = worker
        self._path = {"namespace": worker.namespace, "queue": name}
        self._handle = handle
        self._concurrency = concurrency
        self._lease = lease
        self._running = 0
        self._changed = threading.Condition()
        self.thread = threading.Thread(target=self._loop, name=f"weft-{name}", daemon=True)

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _loop(self) -> None:
        failures = 0
        while not self._worker.is_stopping:
            with self._changed:
                while self._running >= self._concurrency and not self._worker.is_stopping:
                    self._changed.wait()
                free = self._concurrency - self._running
            if free <= 0:
                continue
            try:
                self._take(free)
                failures = 0
            except Exception as error:
                self._worker.report(error)
                self._worker.pause(delay_of(failures))
                failures += 1
        with self._changed:
            while self._running > 0:
                self._changed.wait()

    def _take(self, most: int) -> None:
        body = {"worker": self._worker.name, "max": most, "wait": self._worker.wait, **self._duration("lease")}
        for row in cast(shapes.TasksReply, self._post("pollTasks", body))["tasks"]:
            with self._changed:
                self._running += 1
            threading.Thread(target=self._serve, args=(Task._of(row),), daemon=True).start()

    def _duration(self, name: str) -> Mapping[str, str]:
        return {} if self._lease is None else {name: self._lease}

    def _serve(self, task: Task) -> None:
        try:
            if self._worker.is_stopping:
                self._send("failTask", task, {"retry": "PT0S"})
            else:
                self._work(task)
        except Exception as error:
            self._worker.report(error)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _work(self, task: Task) -> None:
        over = threading.Event()
        renewal = threading.Thread(target=self._renew, args=(task, over), daemon=True)
        renewal.start()
        try:
            operation, report = "completeTask", self._result(task)
            if "code" in report:
                operation = "failTask"
            if not task.lost.is_set():
                self._send(operation, task, report)
        finally:
            over.set()

    def _result(self, task: Task) -> Dict[str, Any]:
        """The report of a task: its output, or the code and the message of its failure."""
        try:
            output = self._handle(task)
            json_bytes(output)
            return {"output": output}
        except TaskError as error:
            retry = {} if error.retry is None else {"retry": error.retry}
            return {"code": error.code, "message": error.message, **retry}
        except Exception as error:
            log.debug("the function failed the task %s", task.id, exc_info=True)
            return {"code": "", "message": str(error) or type(error).__name__}

    def _renew(self, task: Task, over: threading.Event) -> None:
        """Renews the lease at each third of its duration."""
        # Older versions of Python do not parse fractions of any length.
        until = calendar.timegm(time.strptime(task.lease_until[:19], "%Y-%m-%dT%H:%M:%S"))
        length = max(until - time.time(), 1.0)
        while not over.wait(length / 3):
            try:
                body = {"task": task.id, "lease": task.lease, **self._duration("duration")}
                self._post("renewTask", body)
            except WeftError as error:
                if error.status == CONFLICT:
                    task.lost.set()
                    return
                self._worker.report(error)

    def _send(self, operation: str, task: Task, report: Mapping[str, Any]) -> None:
        """Sends a report until the service has accepted it; the service ignores repetitions."""
        for n in range(MAX_REPORTS + 1):
            try:
                self._post(operation, {"task": task.id, "lease": task.lease, **report})
                return
            except WeftError as error:
                if not _may_pass(error) or n == MAX_REPORTS:
                    raise
                self._worker.report(error)
                time.sleep(delay_of(n))

    def _post(self, operation: str, body: Mapping[str, Any]) -> Any:
        return self._worker.transport.call(operation, self._path, body=body)


class Worker:
    """Serves the queues of a namespace with the functions that `handle` names.

    `key` needs the permission `worker`. `name` is that of the worker in the console and the command line, `wait` how
    long a request waits for a task (ISO 8601). `on_error` is called for each error of the network or the service;
    by default it is logged. The worker retries.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        namespace: str,
        name: str = "",
        wait: str = "PT20S",
        on_error: Optional[Callable[[Exception], None]] = None,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.transport = Transport(url, key, REQUEST_SECONDS, 1, context)
        self.namespace = namespace
        self.name = name
        self.wait = wait
        self._on_error = on_error
        self._queues: List[_Queue] = []
        self._stopping = threading.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def handle(self, queue: str, function: Handler, *, concurrency: int = 1, lease: Optional[str] = None) -> "Worker":
        """Calls `function` for each task of a queue, in a thread, before `start`. Returns the worker.

        `concurrency` is the maximum number of tasks of the queue at the same time, `lease` the duration of a lease,
        by default that of the workflow's function. The worker renews leases.
        """
        if concurrency < 1:
            raise ValueError(f"'concurrency' is {concurrency}; it must be 1 or more")
        self._queues.append(_Queue(self, queue, function, concurrency, lease))
        return self

    def start(self) -> "Worker":
        """Serves the queues in threads and returns. Raises ValueError without a call of `handle` before."""
        if not self._queues:
            raise ValueError("the worker has no function; call handle(queue, function) first")
        for queue in self._queues:
            queue.thread.start()
        return self

    def stop(self) -> None:
        """Fetches no more tasks. Returns at once; `join` waits for the tasks in progress."""
        self._stopping.set()
        for queue in self._queues:
            queue.wake()

    def join(self) -> None:
        """Waits until the worker has stopped and its tasks have ended."""
        for queue in self._queues:
            while queue.thread.is_alive():
                # With a timeout, so that signals arrive on every system.
                queue.thread.join(1.0)

    def run(self) -> None:
        """Serves the queues until SIGTERM, SIGINT or `stop`, and returns when the tasks in progress have ended.

        A second signal has its usual effect. Outside of the main thread only `stop` ends it.
        """
        is_main = threading.current_thread() is threading.main_thread()
        names = (signal.SIGTERM, signal.SIGINT) if is_main else ()
        before = {name: signal.getsignal(name) for name in names}

        def restore() -> None:
            for name, handler in before.items():
                signal.signal(name, handler)

        ended: List[int] = []

        def end(number: int, _: Any) -> None:
            restore()
            # An Event could be locked by the code that the signal interrupts.
            ended.append(number)

        for name in names:
            signal.signal(name, end)
        try:
            self.start()
            while not ended and not self._stopping.wait(SIGNAL_SECONDS):
                pass
            self.stop()
            self.join()
        finally:
            restore()

    def pause(self, seconds: float) -> None:
        """Sleeps, at most until `stop` is called."""
        self._stopping.wait(seconds)

    def report(self, error: Exception) -> None:
        """Passes an error to `on_error`, or logs it."""
        if self._on_error is None:
            log.warning("%s: %s", type(error).__name__, error)
        else:
            self._on_error(error)
