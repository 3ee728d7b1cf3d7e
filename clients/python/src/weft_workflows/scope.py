"""What the operations of a namespace share: its requests, and its lists."""

from functools import partial
from typing import Any, Callable, Dict, Iterator, Mapping, Optional

from .errors import WeftError
from .transport import Query, Transport

PAGE = 200


def rows_of(read: Callable[..., Any], page_of: Callable[[Any], Any], query: Optional[Query] = None) -> Iterator[Any]:
    """The rows of a list, read in pages: the service returns at most 1,000 at once."""
    after: Dict[str, str] = {}
    while True:
        page = page_of(read(query={**(query or {}), "first": PAGE, **after}))
        yield from page["results"]
        if not page["pageInfo"]["hasNextPage"] or not page["results"]:
            return
        after = {"after": page["pageInfo"]["endCursor"]}


class Scope:
    """Requests with the name of a namespace in their path."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport = transport
        self.name = name

    def _call(self, operation: str, path: Optional[Mapping[str, str]] = None, **options: Any) -> Any:
        return self._transport.call(operation, {"namespace": self.name, **(path or {})}, **options)

    def _list(self, operation: str, member: str, query: Optional[Query] = None) -> Iterator[Any]:
        return rows_of(partial(self._call, operation), lambda reply: reply[member], query)

    def _unless(self, status: int, operation: str, path: Optional[Mapping[str, str]] = None) -> None:
        try:
            self._call(operation, path)
        except WeftError as error:
            if error.status != status:
                raise
