"""`ultracluster connect`."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from config.cluster import load_cluster
from config.design.model import Design
from config.profile.observability.metrics import ExistingGrafana
from scripts.cli.connect import sessions
from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.kubeconfig import api_host, is_private, kubeconfig_command
from scripts.cli.connect.nodes import Node, choose, nodes_of
from scripts.cli.connect.place import Place, find_stack
from scripts.cli.connect.ssh_config import check_user, ssh_config, write_ssh_config
from scripts.cli.output import line, refuse, verbatim, write_diagnostics, write_json, write_table

_GRAFANA_PORT = 3000
_API_PORT = 8443
_SCHEMES = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the command line. `ssh_file` is a file, or `-` for standard output."""

    node: str | None = None
    orchestrator: str | None = None
    listed: bool = False
    printed: bool = False
    ssh_file: str | None = None
    forward: str | None = None
    grafana: bool = False
    kubeconfig: bool = False
    context: str | None = None
    user: str | None = None
    embedded: bool = False
    as_json: bool = False


def connect(profile: str, options: Options) -> int:
    """Open a session on a node of a deployed cluster, or print the session's command; returns 2 on errors."""
    cluster = load_cluster(profile, orchestrator=options.orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics([d for d in cluster.diagnostics if d.stops], stderr=True)
        return cluster.exit_status
    try:
        return _connect(cluster.design, options, profile)
    except ConnectError as error:
        return refuse(str(error), error.hint)


def _deploy_command(profile: str, options: Options) -> str:
    """Return the command that deploys the cluster to the same target."""
    quoted, kind = shlex.quote(profile), options.orchestrator
    if options.embedded:
        return f"make deploy PROFILE={quoted}" + (f" ORCHESTRATOR={kind}" if kind else "")
    return f"cdk deploy --context profile={quoted}" + (f" --context orchestrator={kind}" if kind else "")


def _command(profile: str, options: Options) -> str:
    """Return the `ultracluster connect` command for this cluster and target, without further options."""
    arguments = ["ultracluster", "connect", profile, *(["--embedded"] if options.embedded else [])]
    return shlex.join(
        [*arguments, *(["--orchestrator", options.orchestrator] if options.orchestrator else [])]
    )


def _connect(design: Design, options: Options, profile: str) -> int:
    if design.profile.orchestrator is None:
        raise ConnectError("the profile has no nodes", "use the profile of a cluster")
    tunnel = sessions.read_tunnel(options.forward) if options.forward else None
    place = find_stack(
        design.profile, embedded=options.embedded, deploy_command=_deploy_command(profile, options)
    )
    if options.kubeconfig:
        return _kubeconfig(design, place, options, _command(profile, options))
    if options.grafana:
        return _grafana(design, place, options)
    nodes = nodes_of(design, place)
    if options.listed:
        return _list(nodes, options)
    node = choose(nodes, options.node, design.profile.name)
    if options.ssh_file is not None:
        return _ssh(design, place, nodes, node, options, _command(profile, options))
    document = place.outputs.get("SessionDocument")
    command = (
        sessions.shell(node, place.region, document)
        if tunnel is None
        else sessions.forward(node, place.region, tunnel)
    )
    return _run(command, place, options)


def _run(command: list[str], place: Place, options: Options) -> int:
    """Print the command, or run it in place of this process."""
    if options.printed and options.as_json:
        write_json({"command": command})
    elif options.printed:
        print(shlex.join(command))
    else:
        sessions.become(command, place.environment)
    return 0


def _list(nodes: Sequence[Node], options: Options) -> int:
    if options.as_json:
        write_json([asdict(node) for node in nodes])
        return 0
    if not nodes:
        line("the cluster has no nodes yet")
        return 0
    head = ("node", "type", "status", "instance", "scheduler name")
    write_table(
        head,
        [(n.name, n.instance_type, n.status, n.instance_id, n.scheduler_name or "-") for n in nodes],
    )
    return 0


def _ssh(
    design: Design, place: Place, nodes: Sequence[Node], first: Node, options: Options, command: str
) -> int:
    plane = design.profile.orchestrator
    if options.user is not None:
        check_user(options.user)
    user = options.user or ("ec2-user" if plane and plane.kind == "eks" else "ubuntu")
    if not user or any(letter.isspace() for letter in user):
        raise ConnectError(f"{user!r} is not a user name", "write one name: `--user ada`")
    again = f"{command} --user {shlex.quote(user)}"
    text = ssh_config(
        nodes, first, profile=design.profile.name, region=place.region, user=user, command=again
    )
    if options.ssh_file == "-":
        print(text, end="")
        return 0
    file = write_ssh_config(text, options.ssh_file or "")
    nodes_there = sum(node.runs for node in nodes)
    line(
        f"{file} has {nodes_there} {'node' if nodes_there == 1 else 'nodes'}; add `Include {file}` to "
        "~/.ssh/config, then:"
    )
    verbatim(f"ssh {design.profile.name}")
    return 0


def _kubeconfig(design: Design, place: Place, options: Options, again: str) -> int:
    command = kubeconfig_command(design, place, options.context)
    private = is_private(design)
    if options.printed:
        return _run(command, place, options)
    sessions.check_programs("aws")
    done = subprocess.run(command, check=False, env={**os.environ, **place.environment})
    if done.returncode:
        raise ConnectError(
            "the AWS CLI could not write kubectl's configuration", "see the output of the AWS CLI above"
        )
    if private:
        host, context = api_host(design, place), command[-1]
        line(
            "The Kubernetes API is reachable only inside the VPC. To use it from here, keep this tunnel open:"
        )
        verbatim(f"{again} --forward {_API_PORT}:443:{host}")
        line("Run this command once, so that the context uses the tunnel:")
        verbatim(
            "kubectl config set-cluster "
            f'"$(kubectl config view -o jsonpath=\'{{.contexts[?(@.name=="{context}")].context.cluster}}\')" '
            f"--server https://localhost:{_API_PORT} --tls-server-name {host}"
        )
    return 0


def _grafana(design: Design, place: Place, options: Options) -> int:
    """Print the URL of a workspace, or open a tunnel to an existing Grafana."""
    endpoint = place.outputs.get("GrafanaEndpoint")
    if endpoint is not None:
        url = endpoint if endpoint.startswith("https://") else f"https://{endpoint}"
        if options.as_json:
            write_json({"url": url})
        else:
            print(url)
        return 0
    wanted = design.profile.observability.grafana if design.profile.observability else None
    if not isinstance(wanted, ExistingGrafana):
        raise ConnectError("the cluster has no Grafana", "set `observability: {grafana: {kind: managed}}`")
    scheme, _, rest = wanted.url.partition("://")
    host, _, port = rest.partition("/")[0].partition(":")
    tunnel = sessions.Tunnel(local=_GRAFANA_PORT, remote=int(port or _SCHEMES[scheme]), host=host)
    node = choose(nodes_of(design, place), options.node, design.profile.name)
    if not options.printed:
        line(
            f"{wanted.url} is available at {scheme}://localhost:{_GRAFANA_PORT} while this command runs",
            stderr=True,
        )
    return _run(sessions.forward(node, place.region, tunnel), place, options)
