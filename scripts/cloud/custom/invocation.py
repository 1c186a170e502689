"""One invocation of a Python function, as on Lambda: event, context, environment and timeout."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import boto3

from .archive import Handler, importable, load_handler
from .clock import Clock, FunctionTimedOutError, simulated_time
from .environment import Environment
from .functions import Function
from .internet import internet

_log = logging.getLogger(__name__)
# environment, modules and `time` belong to the process, so functions run one after another
one_at_a_time = threading.RLock()
REAL_LIMIT_S = 60.0
"""Limit of a function's real time, because a function that never sleeps or ends would stop the cloud."""


class FunctionError(Exception):
    """The function raised an exception or timed out; the message is equal to Lambda's message."""


@dataclass(frozen=True, kw_only=True)
class LambdaContext:
    """The second argument of a handler.

    https://docs.aws.amazon.com/lambda/latest/dg/python-context.html
    """

    function_name: str
    function_version: str
    invoked_function_arn: str
    memory_limit_in_mb: str
    aws_request_id: str
    log_group_name: str
    log_stream_name: str
    identity: None = None
    client_context: None = None
    remaining_s: Callable[[], float] = field(repr=False)

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the function's timeout."""
        return int(self.remaining_s() * 1000)


def lambda_context(function: Function, clock: Clock) -> LambdaContext:
    """Return the context of an invocation that starts now. Each invocation has its own log stream."""
    until_s = clock.s + function.timeout_s
    day = datetime.now(UTC).strftime("%Y/%m/%d")
    return LambdaContext(
        function_name=function.name,
        function_version=function.version,
        invoked_function_arn=function.arn,
        memory_limit_in_mb=str(function.memory_mib),
        aws_request_id=str(uuid4()),
        log_group_name=function.log_group,
        log_stream_name=f"{day}/[{function.version}]{uuid4().hex}",
        remaining_s=lambda: max(until_s - clock.s, 0.0),
    )


def run_archive(function: Function, event: Any, environment: Environment, clock: Clock) -> Any:
    """Run the code in the function's archive, and return the handler's result."""
    with one_at_a_time, importable(function.code or b"") as folder:
        return run(
            lambda: load_handler(function.handler), function, event, environment, clock, os.fspath(folder)
        )


def run(
    load: Callable[[], Handler],
    function: Function,
    event: Any,
    environment: Environment,
    clock: Clock,
    root: str = os.curdir,
) -> Any:
    """Run a handler and return its result; the caller must have acquired `one_at_a_time`."""
    context, until_s = lambda_context(function, clock), clock.s + function.timeout_s
    worker = _Worker(lambda: load()(json.loads(json.dumps(event)), context))
    with ExitStack() as around:
        around.enter_context(_process_environment(function, environment, context, root))
        around.enter_context(_root_logger())
        around.enter_context(internet(environment))
        around.enter_context(simulated_time(clock, until_s, worker))
        worker.start()
        worker.end_within(REAL_LIMIT_S)
    if isinstance(worker.error, FunctionTimedOutError):
        clock.s = max(clock.s, until_s)
        raise FunctionError(f"{context.aws_request_id} Task timed out after {function.timeout_s:.2f} seconds")
    if worker.error is not None:
        _log.warning("function %s failed", function.name, exc_info=worker.error)
        raise FunctionError(str(worker.error) or type(worker.error).__name__) from worker.error
    return worker.result


class _Worker(threading.Thread):
    """The thread of the handler. If the handler does not end, the cloud continues without the thread."""

    def __init__(self, body: Callable[[], Any]) -> None:
        super().__init__(name="function", daemon=True)
        self._body = body
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Run the handler; its result must be JSON, as on Lambda."""
        try:
            self.result = json.loads(json.dumps(self._body()))
        except BaseException as error:
            self.error = error

    def end_within(self, seconds: float) -> None:
        """Wait for the end; after `seconds`, stop the handler."""
        self.join(seconds)
        if self.is_alive():
            stop = ctypes.py_object(FunctionTimedOutError)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident or 0), stop)
            self.join(1.0)
            self.error = FunctionTimedOutError()


@contextmanager
def _process_environment(
    function: Function, environment: Environment, context: LambdaContext, root: str
) -> Iterator[None]:
    """Set the environment variables of Lambda and of the function, and hide all other AWS settings.

    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
    """
    lambdas = {
        "_HANDLER": function.handler,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.runtime}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": function.version,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": context.memory_limit_in_mb,
        "AWS_LAMBDA_LOG_GROUP_NAME": context.log_group_name,
        "AWS_LAMBDA_LOG_STREAM_NAME": context.log_stream_name,
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "LAMBDA_TASK_ROOT": root,
    }
    wanted = {**function.variables, **lambdas, **environment.variables()}
    before = dict(os.environ)
    foreign = [name for name in before if name.startswith("AWS_") and name not in wanted]
    # each variable separately, because other threads read the environment meanwhile
    os.environ.update(wanted)
    for name in foreign:
        del os.environ[name]
    try:
        with patch.object(boto3, "DEFAULT_SESSION", environment.session()):
            yield
    finally:
        os.environ.update(before)
        for name in os.environ.keys() - before.keys():
            del os.environ[name]


@contextmanager
def _root_logger() -> Iterator[None]:
    """Restore the root logger afterwards, because handlers change its level."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
