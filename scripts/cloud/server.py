"""The embedded cloud as a process: `python -m scripts.cloud.server --port N`."""

from __future__ import annotations

import argparse
import logging
import math
import os
import signal
import socket
import sys
from functools import partial
from types import FrameType
from typing import NoReturn

from . import state
from .clients import ACCOUNT_ID, SECRET_KEY, access_key, client
from .faults import KINDS, Fault, FaultError, Faults
from .state import HOST, free_port


def serve(port: int, account: str, faults: Faults, pace: float | None = None) -> None:
    """Serve AWS requests on the loopback interface until the process is terminated.

    `faults` are active from the first request. `pace` is the number of simulated seconds per real second of a
    deployment.
    """
    # a check that moto disables by default: reject a managed policy that AWS does not have
    os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
    os.environ["MOTO_ACCOUNT_ID"] = account
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from werkzeug.serving import make_server

    from .control import Control
    from .engine import api
    from .extensions.calls import faults as call_faults
    from .extensions.install import install

    install()
    call_faults.use(faults)
    api.install(partial(client, f"http://{HOST}:{port}", account), faults, pace)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = Control(DomainDispatcherApplication(create_backend_app), api.BACKENDS, faults, account)
    make_server(HOST, port, app, threaded=True, request_handler=MotoRequestHandler).serve_forever()


def main(argv: list[str] | None = None) -> int:
    """Run in the foreground; the exit status is 0 after a normal end, 2 if the port is in use."""
    parser = argparse.ArgumentParser(prog="ultracluster cloud", description="run the embedded cloud")
    parser.add_argument("--port", type=_port, help="port on the loopback interface (default: any free port)")
    parser.add_argument(
        "--account",
        default=ACCOUNT_ID,
        type=_account,
        metavar="ID",
        help="account ID of the embedded cloud (default: %(default)s)",
    )
    parser.add_argument(
        "--quiet", action="store_true", help="do not print messages and do not write a state file"
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        type=_fault,
        metavar="'KIND name=value ...'",
        help=f"inject a fault: {', '.join(KINDS)}; with type= logical_id= action= call= times= seconds=",
    )
    parser.add_argument(
        "--pace",
        type=_pace,
        metavar="N",
        help="simulated seconds per real second of a deployment (default: no waiting)",
    )
    options = parser.parse_args(argv)
    running = None if options.quiet else state.read()
    if running:
        print(
            f"an embedded cloud already runs at {running.endpoint} (process {running.pid}): use it or "
            "stop it",
            file=sys.stderr,
        )
        return 2
    port = free_port() if options.port is None else options.port
    if not _is_free(port):
        print(f"port {port} is in use: set another port with --port", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_end, options.quiet))
    endpoint = f"http://localhost:{port}"
    try:
        if not options.quiet:
            _announce(endpoint, options.account)
            state.write(state.Running(endpoint, options.account, os.getpid()))
        serve(port, options.account, Faults(options.fault), options.pace)
    finally:
        if not options.quiet:
            state.remove()
    return 0


def _port(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    port = int(text)
    if not 0 < port < 2**16:
        raise argparse.ArgumentTypeError(f"{port} is not between 1 and 65535")
    return port


def _fault(text: str) -> Fault:
    from .fault_targets import check_target

    try:
        fault = Fault.parse(text)
        check_target(fault)
    except FaultError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return fault


def _account(text: str) -> str:
    if not (text.isdecimal() and len(text) == 12):
        raise argparse.ArgumentTypeError(f"{text!r} is not an account ID of 12 digits")
    return text


def _pace(text: str) -> float:
    try:
        pace = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < pace < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return pace


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _end(quiet: bool, number: int, frame: FrameType | None) -> NoReturn:
    """Exit immediately. If an exception were raised in a destructor, Python would ignore it and not exit."""
    if not quiet:
        state.remove()
    sys.stdout.flush()
    os._exit(0)


def _announce(endpoint: str, account: str) -> None:
    lines = (
        f"embedded cloud at {endpoint} (ctrl-c stops it and deletes its contents)",
        "to use it from another shell:",
        f"  export AWS_ENDPOINT_URL={endpoint}",
        f"  export AWS_ACCESS_KEY_ID={access_key(account)} AWS_SECRET_ACCESS_KEY={SECRET_KEY}",
        "  export AWS_EC2_METADATA_DISABLED=true",
        "before the first manual deployment, run once (with a profile, because the CDK CLI also runs "
        "the app):",
        f"  cdk bootstrap aws://{account}/REGION --context profile=PROFILE",
    )
    print("\n".join(lines), flush=True)


if __name__ == "__main__":
    sys.exit(main())
