"""The errors that the client raises, and the one that a worker's function may raise."""

from typing import Any, Mapping, Optional


class WeftError(Exception):
    """The service refused a request.

    `status` is that of HTTP, `details` the body of the reply as JSON (None if it is not JSON).
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        details: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        #: The error code of a run that failed, as `catch` matches it; else empty.
        self.code = code
        self.details = details
        #: The headers of the reply, with names in lower case.
        self.headers: Mapping[str, str] = headers or {}


class RunError(WeftError):
    """A run that was waited for has failed. `code` is its error code."""

    def __init__(self, message: str, *, instance: str, code: str, status: int = 500, details: Any = None) -> None:
        super().__init__(message, status=status, code=code, details=details)
        #: The id of the run.
        self.instance = instance


class UnreachableError(WeftError):
    """No complete reply came.

    `was_sent` is false if the service cannot have received the request, `timed_out` true if it was silent too long.
    """

    def __init__(self, message: str, *, was_sent: bool, timed_out: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        self.timed_out = timed_out


class TaskError(Exception):
    """Fails a task with a code that the workflow can catch.

    With `retry`, an ISO 8601 duration, the service offers the task again after that time.
    """

    def __init__(self, code: str, message: str, retry: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry = retry
