"""The events of a stream of server-sent events (HTML standard, 9.2.6)."""

import io
from typing import Any, Iterator, List, Tuple


def frames_of(body: Any) -> Iterator[Tuple[str, str]]:
    """Yields the name and the data of each event of a body, as its bytes arrive. An event without data is none."""
    event, data = "", []  # type: str, List[str]
    # A line ends in any of the three ways.
    for line in io.TextIOWrapper(body, encoding="utf-8", errors="replace", newline=None):
        field, _, value = line.rstrip("\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if line == "\n":
            if data:
                yield event or "message", "\n".join(data)
            event, data = "", []
        elif field == "event":
            event = value
        elif field == "data":
            data.append(value)
