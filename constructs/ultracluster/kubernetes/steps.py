"""What is put into a Kubernetes cluster, in order: Helm releases and plain objects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_s3_assets as assets
from constructs import Construct, IDependable

from ultracluster.cfn import add_resource

RELEASE_TYPE = "Custom::AWSCDK-EKS-HelmChart"
OBJECT_TYPE = "Custom::AWSCDK-EKS-KubernetesResource"
VALUE_TYPE = "Custom::AWSCDK-EKS-KubernetesObjectValue"

MAX_TIMEOUT_MINUTES = 13
"""How long Helm may wait: its function ends after 15 minutes, and a failed release has to be taken back.

Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""
_SERVICE_TIMEOUT_S = 16 * 60
"""A function that was ended answers nothing, and CloudFormation would wait for an hour."""

MAX_BYTES = 120_000
"""How large the text of an object or of a release's values may be.

CloudFormation sends it to a function in one event of 256 KiB, and an update's event has the old text too:
https://github.com/aws/aws-cdk/issues/19165
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFrom:
    """Where Helm takes a chart from: one of the three forms.

    Attributes:
        repository: `oci://` and the whole path of the chart, or the address of a chart repository.
        chart: Name of the chart in a chart repository; None with `oci://`, whose path ends with it.
        version: One version. Helm pulls from a registry by version alone.
        folder: A folder with the chart, which is uploaded with the stack; without the other three.
        archive: `s3://` address of a zip archive of the chart that is made at deployment, instead of all
            others. `archive_ready` makes it, and lets the cluster's kubectl function read it.
    """

    repository: str | None = None
    chart: str | None = None
    version: str | None = None
    folder: str | None = None
    archive: str | None = None
    archive_ready: Sequence[IDependable] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseStep:
    """A Helm release, installed whole or not at all.

    Attributes:
        name: Name of the release and of the step.
        chart: Where its chart is.
        namespace: Its namespace, made where there is none.
        values: Values for the chart; tokens are filled at deployment.
        after: Steps that come before it.
        timeout_minutes: How long Helm waits for it to be ready.
        wait: Whether it does.
    """

    name: str
    chart: ChartFrom
    namespace: str
    values: Mapping[str, Any]
    after: Sequence[str] = ()
    timeout_minutes: int = 10
    wait: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsStep:
    """Kubernetes objects, of which namespaces come first.

    Each is a resource of its own, so that one that leaves the step is deleted: `kubectl apply --prune` knows
    only kinds of Kubernetes itself, and no custom resources.

    Attributes:
        name: Name of the step.
        objects: The objects as their manifests say them; tokens are filled at deployment.
        after: Steps that come before it.
    """

    name: str
    objects: Sequence[Mapping[str, Any]]
    after: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep:
    """Waits until an object that nobody applied here has a value, such as what an operator makes.

    Attributes:
        name: Name of the step.
        kind: Kind of the object as kubectl takes it.
        object_name: Its name.
        namespace: Its namespace.
        path: JSON path of the value, which is there when it is not empty.
        after: Steps that come before it.
        timeout_minutes: How long it waits.
    """

    name: str
    kind: str
    object_name: str
    namespace: str
    path: str
    after: Sequence[str] = ()
    timeout_minutes: int = 10


AnyStep = ReleaseStep | ObjectsStep | WaitStep


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesStepsProps:
    """What is put into one cluster.

    Attributes:
        cluster: The cluster, with a kubectl provider.
        steps: In any order.
        outside: What a step's `after` may name beside steps, such as nodes.
    """

    cluster: eks.ICluster
    steps: Sequence[AnyStep]
    outside: Mapping[str, Sequence[IDependable]] = field(default_factory=dict)


class KubernetesSteps(Construct):
    """Releases and objects, each after what it needs, and gone before it.

    Attributes:
        resources: The resources of each step, by its name.
    """

    def __init__(self, scope: Construct, construct_id: str, props: KubernetesStepsProps) -> None:
        """Create them; raises for steps in a circle, after nothing that is there, or too large."""
        super().__init__(scope, construct_id)
        # it also lets all that is in here wait for the rights of the provider's function
        provider = eks.KubectlProvider.get_kubectl_provider(self, props.cluster)
        if provider is None:
            raise ValueError("the cluster has no kubectl provider: make it with a kubectl layer")
        self._provider, self._cluster_name = provider, props.cluster.cluster_name
        made: dict[str, list[cdk.CfnResource]] = {}
        for step in _in_order(props.steps, props.outside):
            before = [
                dependency for name in step.after for dependency in (made.get(name) or props.outside[name])
            ]
            made[step.name] = list(self._made(step, before))
        self.resources = made

    def _made(self, step: AnyStep, before: Sequence[IDependable]) -> Iterator[cdk.CfnResource]:
        if isinstance(step, ObjectsStep):
            yield from self._objects(step, before)
        else:
            yield self._release(step, before) if isinstance(step, ReleaseStep) else self._wait(step, before)

    def _wait(self, step: WaitStep, before: Sequence[IDependable]) -> cdk.CfnResource:
        _refuse_long_waits(step)
        properties = {
            "ObjectType": step.kind,
            "ObjectName": step.object_name,
            "ObjectNamespace": step.namespace,
            "JsonPath": step.path,
            "TimeoutSeconds": step.timeout_minutes * 60,
        }
        return self._add(step.name, VALUE_TYPE, properties, before)

    def _release(self, step: ReleaseStep, before: Sequence[IDependable]) -> cdk.CfnResource:
        _refuse_faults(step)
        chart = step.chart
        asset = self._asset(step)
        resource = self._add(
            step.name,
            RELEASE_TYPE,
            {
                "Release": step.name,
                "Chart": chart.chart or _name_in_registry(chart.repository),
                "ChartAssetURL": asset.s3_object_url if asset else chart.archive,
                "Repository": chart.repository,
                "Version": chart.version,
                "Namespace": step.namespace,
                "CreateNamespace": True,
                "Values": self._text(step.name, step.values) if step.values else None,
                # the function takes any text for true, `false` too
                "Wait": True if step.wait else None,
                "Atomic": True if step.wait else None,
                "Timeout": f"{step.timeout_minutes * 60}s",
            },
            [*before, *chart.archive_ready],
        )
        if asset and self._provider.role:
            asset.bucket.grant_read(self._provider.role).apply_before(resource)
        return resource

    def _asset(self, step: ReleaseStep) -> assets.Asset | None:
        folder = step.chart.folder
        return assets.Asset(self, f"{step.name}-chart", path=folder) if folder else None

    def _objects(self, step: ObjectsStep, before: Sequence[IDependable]) -> Iterator[cdk.CfnResource]:
        namespaces = [one for one in step.objects if one["kind"] == "Namespace"]
        others = [one for one in step.objects if one["kind"] != "Namespace"]
        first = [self._object(step, one, before) for one in namespaces]
        yield from first
        for one in others:
            yield self._object(step, one, [*before, *first])

    def _object(
        self, step: ObjectsStep, one: Mapping[str, Any], before: Sequence[IDependable]
    ) -> cdk.CfnResource:
        metadata = one["metadata"]
        name = "-".join(filter(None, (step.name, one["kind"], metadata.get("namespace"), metadata["name"])))
        properties = {
            "Manifest": self._text(name, [one]),
            # applied again where Lambda repeats an event, and taken over where it is there already
            "Overwrite": True,
        }
        return self._add(name, OBJECT_TYPE, properties, before)

    def _add(
        self, name: str, kind: str, properties: Mapping[str, Any], before: Sequence[IDependable]
    ) -> cdk.CfnResource:
        common = {
            "ServiceToken": self._provider.service_token,
            "ServiceTimeout": _SERVICE_TIMEOUT_S,
            "ClusterName": self._cluster_name,
        }
        return add_resource(
            self, name, kind, {**common, **properties}, depends_on=list(dict.fromkeys(before))
        )

    def _text(self, name: str, value: Any) -> str:
        # indented, no brackets close beside each other, which CDK would take for the end of a reference
        text = cdk.Stack.of(self).to_json_string(value, 1)
        size = len(str(cdk.Stack.of(self).resolve(text)).encode())
        if size > MAX_BYTES:
            raise ValueError(f"{name} has {size} bytes, and an event to a function holds {MAX_BYTES}")
        return text


def _name_in_registry(repository: str | None) -> str | None:
    """The chart's name in an `oci://` address: the function pulls the whole address, and wants a name too.

    Source: custom-resource-handlers/dist/aws-eks-v2/kubectl-handler/helm/__init__.py of aws-cdk-lib.
    """
    return repository.rpartition("/")[2] if repository is not None else None


def _refuse_long_waits(step: ReleaseStep | WaitStep) -> None:
    if not 1 <= step.timeout_minutes <= MAX_TIMEOUT_MINUTES:
        kind = "release" if isinstance(step, ReleaseStep) else "step"
        raise ValueError(
            f"{kind} {step.name} waits {step.timeout_minutes} minutes, where 1 to {MAX_TIMEOUT_MINUTES} fit"
        )


def _refuse_faults(step: ReleaseStep) -> None:
    chart = step.chart
    _refuse_long_waits(step)
    if sum(given is not None for given in (chart.repository, chart.folder, chart.archive)) != 1:
        raise ValueError(f"release {step.name} needs a repository, a folder or an archive for its chart")
    if chart.repository is None:
        return
    if chart.version is None:
        raise ValueError(f"release {step.name} needs a version of its chart")
    if chart.repository.startswith("oci://") == (chart.chart is not None):
        raise ValueError(
            f"release {step.name}: a chart has a name of its own in a repository, and not in oci://"
        )


def _in_order(steps: Sequence[AnyStep], outside: Mapping[str, object]) -> Iterator[AnyStep]:
    """The steps, each after those that it names; raises for a name of nothing, of two, or in a circle."""
    waiting = {step.name: step for step in steps}
    if len(waiting) != len(steps):
        twice = sorted({step.name for step in steps if sum(one.name == step.name for one in steps) > 1})
        raise ValueError(f"several steps are named {', '.join(twice)}")
    for step in steps:
        for name in step.after:
            if name not in waiting and name not in outside:
                raise ValueError(f"step {step.name} comes after {name}, which is no step")
    done = set(outside) - set(waiting)
    while waiting:
        ready = [step for step in waiting.values() if done.issuperset(step.after)]
        if not ready:
            raise ValueError(f"steps wait for each other: {', '.join(sorted(waiting))}")
        for step in ready:
            yield step
            done.add(step.name)
            del waiting[step.name]
