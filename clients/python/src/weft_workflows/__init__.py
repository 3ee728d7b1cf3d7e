"""Client and worker for Weft, a workflow orchestration service (docs/python.md)."""

from .client import Client, Namespace
from .errors import RunError, TaskError, UnreachableError, WeftError
from .worker import Task, Worker

__version__ = "0.1.0"

__all__ = [
    "Client",
    "Namespace",
    "RunError",
    "Task",
    "TaskError",
    "UnreachableError",
    "WeftError",
    "Worker",
]
