"""Installation steps of a Kubernetes cluster: Helm releases and plain objects in order."""

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
"""Maximum timeout of a step, whose function has 15 minutes.

Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""
MAX_RELEASE_MINUTES = 7
"""Maximum timeout of a release for which Helm waits.

If an upgrade fails, Helm waits for the roll-back with the same timeout again
(helm/helm:pkg/action/upgrade.go). A function that ends before leaves the release in `pending-rollback`, and
Helm rejects the next operation.
"""
_SERVICE_TIMEOUT_S = 16 * 60
"""Timeout of CloudFormation for a response. Without it, CloudFormation waits for an hour if a function times
out."""

MAX_BYTES = 120_000
"""Maximum size of an object's text, and of the text of a release's values.

CloudFormation sends the text to a function in one event of at most 256 KiB. The event of an update also
contains the old text: https://github.com/aws/aws-cdk/issues/19165
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFrom:
    """Source of a chart, in one of three forms.

    Attributes:
        repository: `oci://` and the whole path of the chart, or the URL of a chart repository.
        chart: Name of the chart in a chart repository. None for `oci://`, because the path in `repository`
            ends with the name.
        version: The version. Helm pulls from a registry only by version.
        folder: A folder with the chart, which is uploaded with the stack. `folder` excludes the three
            attributes above.
        archive: `s3://` URL of a zip archive of the chart. `archive` excludes the four attributes above. The
            resources in `archive_ready` create the archive at deployment, and allow the cluster's kubectl
            function to read it.
    """

    repository: str | None = None
    chart: str | None = None
    version: str | None = None
    folder: str | None = None
    archive: str | None = None
    archive_ready: Sequence[IDependable] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseStep:
    """A Helm release, which is uninstalled if its installation fails.

    Attributes:
        name: Name of the release and of the step.
        chart: Source of its chart.
        namespace: Its namespace, which is created if it does not exist.
        values: Values for the chart; tokens are resolved at deployment.
        after: Steps that must be complete first.
        timeout_minutes: Helm's timeout for the release to become ready.
        wait: Whether Helm waits.
    """

    name: str
    chart: ChartFrom
    namespace: str
    values: Mapping[str, Any]
    after: Sequence[str] = ()
    timeout_minutes: int = MAX_RELEASE_MINUTES
    wait: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsStep:
    """Kubernetes objects; namespaces are created before the other objects.

    Each object is a separate resource, so that an object that you remove from the step is deleted. `kubectl
    apply --prune` supports only built-in Kubernetes types, and not custom resources.

    Attributes:
        name: Name of the step.
        objects: The objects as in their manifests; tokens are resolved at deployment.
        after: Steps that must be complete first.
    """

    name: str
    objects: Sequence[Mapping[str, Any]]
    after: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep:
    """A wait until an object of another component, such as an operator, has a value.

    Attributes:
        name: Name of the step.
        kind: Type of the object, as a kubectl argument.
        object_name: Its name.
        namespace: Its namespace.
        path: JSON path of the value; the step is complete when the value is not empty.
        after: Steps that must be complete first.
        timeout_minutes: Timeout of the wait.
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
    """Properties of the steps of one cluster.

    Attributes:
        cluster: The cluster, with a kubectl provider.
        steps: The steps, in any order.
        outside: Resources that a step's `after` can name in addition to steps, for example nodes.
    """

    cluster: eks.ICluster
    steps: Sequence[AnyStep]
    outside: Mapping[str, Sequence[IDependable]] = field(default_factory=dict)


class KubernetesSteps(Construct):
    """Releases and objects, each created after its prerequisites and deleted before them.

    Attributes:
        resources: The resources of each step, by the name of the step.
    """

    def __init__(self, scope: Construct, construct_id: str, props: KubernetesStepsProps) -> None:
        """Create the steps; raise ValueError for invalid steps or texts that are too large."""
        super().__init__(scope, construct_id)
        # a dependency on the provider includes the permissions of its function
        provider = eks.KubectlProvider.get_kubectl_provider(self, props.cluster)
        if provider is None:
            raise ValueError("the cluster has no kubectl provider: create it with a kubectl layer")
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
        _check_timeouts(step)
        properties = {
            "ObjectType": step.kind,
            "ObjectName": step.object_name,
            "ObjectNamespace": step.namespace,
            "JsonPath": step.path,
            "TimeoutSeconds": step.timeout_minutes * 60,
        }
        return self._add(step.name, VALUE_TYPE, properties, before)

    def _release(self, step: ReleaseStep, before: Sequence[IDependable]) -> cdk.CfnResource:
        _check_charts(step)
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
                # the function treats each text as true, including `false`
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
            # the object is applied again if Lambda repeats an event, and adopted if it already exists
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
        # indented, because CDK would parse two adjacent closing brackets as the end of a reference
        text = cdk.Stack.of(self).to_json_string(value, 1)
        size = len(str(cdk.Stack.of(self).resolve(text)).encode())
        if size > MAX_BYTES:
            raise ValueError(f"{name} has {size} bytes; the maximum in an event to a function is {MAX_BYTES}")
        return text


def _name_in_registry(repository: str | None) -> str | None:
    """Return the chart's name from an `oci://` URL, because CDK's function requires both URL and name.

    Source: custom-resource-handlers/dist/aws-eks-v2/kubectl-handler/helm/__init__.py of aws-cdk-lib.
    """
    return repository.rpartition("/")[2] if repository is not None else None


def _check_timeouts(step: ReleaseStep | WaitStep) -> None:
    waits = isinstance(step, ReleaseStep) and step.wait
    maximum = MAX_RELEASE_MINUTES if waits else MAX_TIMEOUT_MINUTES
    if not 1 <= step.timeout_minutes <= maximum:
        kind = "release" if isinstance(step, ReleaseStep) else "step"
        raise ValueError(
            f"{kind} {step.name} has a timeout of {step.timeout_minutes} minutes; 1 to {maximum} are allowed"
        )


def _check_charts(step: ReleaseStep) -> None:
    chart = step.chart
    _check_timeouts(step)
    if sum(source is not None for source in (chart.repository, chart.folder, chart.archive)) != 1:
        raise ValueError(f"release {step.name} needs a repository, a folder or an archive for its chart")
    if chart.repository is None:
        return
    if chart.version is None:
        raise ValueError(f"release {step.name} needs a version of its chart")
    if chart.repository.startswith("oci://") == (chart.chart is not None):
        raise ValueError(
            f"release {step.name}: set the chart's name for a chart repository, and omit it for an oci:// URL"
        )


def _in_order(steps: Sequence[AnyStep], outside: Mapping[str, object]) -> Iterator[AnyStep]:
    """Return the steps in order; raise an error for unknown or duplicate names and for cycles."""
    waiting = {step.name: step for step in steps}
    if len(waiting) != len(steps):
        twice = sorted({step.name for step in steps if sum(one.name == step.name for one in steps) > 1})
        raise ValueError(f"several steps are named {', '.join(twice)}")
    for step in steps:
        for name in step.after:
            if name not in waiting and name not in outside:
                raise ValueError(f"step {step.name} names {name} in `after`, which is not a step")
    done = set(outside) - set(waiting)
    while waiting:
        ready = [step for step in waiting.values() if done.issuperset(step.after)]
        if not ready:
            raise ValueError(f"steps wait for each other: {', '.join(sorted(waiting))}")
        for step in ready:
            yield step
            done.add(step.name)
            del waiting[step.name]
