"""The CloudFormation API, instead of moto's; each method parses a request and returns a response."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlparse

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse, EmptyResult

from scripts.cloud.faults import Faults
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError

from . import answers
from .account import Account
from .backend import Backend, Backends, Request
from .errors import StackMissingError
from .failure import reason_of
from .policy import StackPolicy
from .stack import Stack

BACKENDS = Backends()


def install(clients: Any, faults: Faults, pace: float | None = None) -> None:
    """Serve CloudFormation requests; `clients` creates a boto3 client from (service, region)."""
    from moto.cloudformation import urls

    def account(account_id: str, region: str) -> Account:
        return Account(account_id, region, clients, faults, pace)

    CloudFormationApi.account = staticmethod(account)
    urls.url_paths = {"{0}/$": CloudFormationApi.dispatch}


class _RefusedError(ServiceException):
    """A rejected request, as an exception that moto returns to the client."""

    def __init__(self, refused: RequestRefusedError) -> None:
        self.code = refused.code
        super().__init__(refused.message)


class CloudFormationApi(BaseResponse):
    """The API operations. Each method has its operation's name; botocore's model parses the parameters."""

    account: Any = None

    def __init__(self) -> None:
        super().__init__(service_name="cloudformation")
        self.automated_parameter_parsing = True

    def call_action(self) -> Any:
        """Respond to one request; a rejection has the form of CloudFormation's error responses."""
        try:
            return super().call_action()
        except RequestRefusedError as error:
            refused = error
        except ResourceFailedError as error:
            refused = RequestRefusedError(str(error))
        except Exception as error:  # every error becomes a response in the service's protocol
            refused = RequestRefusedError(reason_of(error))
        return self.serialized(ActionResult(_RefusedError(refused)))

    @property
    def backend(self) -> Backend:
        """The backend of the caller's account and Region."""
        return BACKENDS.get(CloudFormationApi.account(self.current_account, self.region))

    def create_change_set(self) -> ActionResult:
        """CreateChangeSet."""
        kind = self._get_param("ChangeSetType", "UPDATE")
        if kind == "IMPORT":
            raise RequestRefusedError("the embedded cloud does not support resource imports into stacks")
        change_set = self.backend.create_change_set(self._get_param("ChangeSetName"), kind, self._request())
        return ActionResult({"Id": change_set.id, "StackId": change_set.stack.id})

    def describe_change_set(self) -> ActionResult:
        """DescribeChangeSet."""
        found = self.backend.change_set(self._get_param("ChangeSetName"), self._get_param("StackName"))
        values = bool(self._get_param("IncludePropertyValues", False))
        return ActionResult(answers.change_set(found, values=values))

    def list_change_sets(self) -> ActionResult:
        """ListChangeSets."""
        stack = self._stack()
        found = [c for c in self.backend.change_sets.values() if c.stack is stack]
        return ActionResult({"Summaries": [answers.change_set_summary(c) for c in found]})

    def execute_change_set(self) -> EmptyResult:
        """ExecuteChangeSet: responds after the end of the deployment."""
        change_set = self.backend.change_set(self._get_param("ChangeSetName"), self._get_param("StackName"))
        rollback = not self._get_param("DisableRollback", False)
        self.backend.execute(change_set, rollback=rollback, token=self._get_param("ClientRequestToken"))
        return EmptyResult()

    def delete_change_set(self) -> EmptyResult:
        """DeleteChangeSet."""
        name, stack_name = self._get_param("ChangeSetName"), self._get_param("StackName")
        for change_set in list(self.backend.change_sets.values()):
            in_stack = stack_name in (change_set.stack.name, change_set.stack.id)
            if name == change_set.id or (name == change_set.name and in_stack):
                del self.backend.change_sets[change_set.id]
        return EmptyResult()

    def create_stack(self) -> ActionResult:
        """CreateStack: creates a change set and executes it immediately."""
        return ActionResult({"StackId": self._deploy("CREATE").id})

    def update_stack(self) -> ActionResult:
        """UpdateStack: creates a change set and executes it immediately."""
        return ActionResult({"StackId": self._deploy("UPDATE").id})

    def delete_stack(self) -> EmptyResult:
        """DeleteStack: succeeds without an effect if the stack does not exist."""
        try:
            stack = self._stack()
        except StackMissingError:
            return EmptyResult()
        self.backend.delete(
            stack,
            self._get_param("ClientRequestToken"),
            retain=self._get_param("RetainResources", []),
            force=self._get_param("DeletionMode") == "FORCE_DELETE_STACK",
        )
        return EmptyResult()

    def rollback_stack(self) -> ActionResult:
        """RollbackStack."""
        stack = self._stack()
        self.backend.roll_back(
            stack,
            self._get_param("ClientRequestToken"),
            retain_except_on_create=bool(self._get_param("RetainExceptOnCreate", False)),
        )
        return ActionResult({"StackId": stack.id})

    def continue_update_rollback(self) -> EmptyResult:
        """ContinueUpdateRollback."""
        stack = self._stack()
        if stack.status != "UPDATE_ROLLBACK_FAILED":
            raise RequestRefusedError(
                f"Stack:{stack.id} is in {stack.status} state and can not continue its rollback."
            )
        skip = self._get_param("ResourcesToSkip", [])
        self.backend.roll_back(stack, self._get_param("ClientRequestToken"), skip=skip)
        return EmptyResult()

    def cancel_update_stack(self) -> EmptyResult:
        """CancelUpdateStack."""
        self.backend.cancel_update(self._stack())
        return EmptyResult()

    def update_termination_protection(self) -> ActionResult:
        """UpdateTerminationProtection."""
        stack = self._stack()
        stack.protected = bool(self._get_param("EnableTerminationProtection", False))
        return ActionResult({"StackId": stack.id})

    def describe_stacks(self) -> ActionResult:
        """DescribeStacks: one stack, or all stacks that are not deleted."""
        if self._get_param("StackName"):
            stacks = [self._stack()]
        else:
            stacks = [s for s in self.backend.stacks.values() if s.status != "DELETE_COMPLETE"]
        return ActionResult({"Stacks": [answers.stack(stack) for stack in stacks]})

    def list_stacks(self) -> ActionResult:
        """ListStacks: includes deleted stacks."""
        wanted = self._get_param("StackStatusFilter", [])
        stacks = [s for s in self.backend.stacks.values() if not wanted or s.status in wanted]
        return ActionResult({"StackSummaries": [answers.stack_summary(stack) for stack in stacks]})

    def describe_stack_events(self) -> ActionResult:
        """DescribeStackEvents: the latest event first."""
        return ActionResult({"StackEvents": [answers.event(e) for e in reversed(self._stack().events)]})

    def describe_stack_resource(self) -> ActionResult:
        """DescribeStackResource."""
        stack, logical_id = self._stack(), self._get_param("LogicalResourceId")
        shown = stack.shown_resources()
        if logical_id not in shown:
            raise RequestRefusedError(f"Resource {logical_id} does not exist for stack {stack.name}")
        return ActionResult({"StackResourceDetail": answers.resource(stack, shown[logical_id])})

    def describe_stack_resources(self) -> ActionResult:
        """DescribeStackResources."""
        stack, wanted = self._stack(), self._get_param("LogicalResourceId")
        found = [r for r in stack.shown_resources().values() if wanted in (None, r.logical_id)]
        return ActionResult({"StackResources": [answers.resource(stack, r) for r in found]})

    def list_stack_resources(self) -> ActionResult:
        """ListStackResources."""
        stack = self._stack()
        found = [answers.resource(stack, r) for r in stack.shown_resources().values()]
        return ActionResult({"StackResourceSummaries": found})

    def get_template(self) -> ActionResult:
        """GetTemplate: returns the template's text as it was received."""
        if self._get_param("ChangeSetName"):
            name = self._get_param("ChangeSetName")
            template: Template | None = self.backend.change_set(name, self._get_param("StackName")).template
        else:
            template = self._stack().template
        text = template.text if template else "{}"
        return ActionResult({"TemplateBody": text, "StagesAvailable": ["Original", "Processed"]})

    def get_template_summary(self) -> ActionResult:
        """GetTemplateSummary."""
        text = self._template_text() if self._has_template() else None
        template = Template.parse(text) if text else self._stack().template
        return ActionResult(answers.template_summary(template) if template else {})

    def validate_template(self) -> ActionResult:
        """ValidateTemplate."""
        template = Template.parse(self._template_text())
        template.require_shapes()
        return ActionResult(answers.template_summary(template))

    def list_exports(self) -> ActionResult:
        """ListExports."""
        exports = [
            {"ExportingStackId": stack.id, "Name": name, "Value": value}
            for stack in self.backend.stacks.values()
            for name, value in stack.exports.items()
        ]
        return ActionResult({"Exports": exports})

    def list_imports(self) -> ActionResult:
        """ListImports."""
        name = self._get_param("ExportName")
        users = [
            s.name
            for s in self.backend.stacks.values()
            if name in s.imports and s.status != "DELETE_COMPLETE"
        ]
        if not users:
            raise RequestRefusedError(f"Export '{name}' is not imported by any stack.")
        return ActionResult({"Imports": users})

    def get_stack_policy(self) -> ActionResult:
        """GetStackPolicy."""
        return ActionResult({"StackPolicyBody": self._stack().policy})

    def set_stack_policy(self) -> EmptyResult:
        """SetStackPolicy."""
        text = self._get_param("StackPolicyBody")
        StackPolicy.parse(text)
        self._stack().policy = text
        return EmptyResult()

    def detect_stack_drift(self) -> ActionResult:
        """DetectStackDrift: responds after the end of the comparison."""
        stack = self._stack()
        return ActionResult({"StackDriftDetectionId": self.backend.detect_drift(stack).id})

    def detect_stack_resource_drift(self) -> ActionResult:
        """DetectStackResourceDrift."""
        stack, name = self._stack(), self._get_param("LogicalResourceId")
        if name not in stack.resources:
            raise RequestRefusedError(f"Resource {name} does not exist for stack {stack.name}")
        self.backend.detect_drift(stack, [name])
        return ActionResult({"StackResourceDrift": answers.resource_drift(stack, stack.resources[name])})

    def describe_stack_drift_detection_status(self) -> ActionResult:
        """DescribeStackDriftDetectionStatus."""
        detection_id = self._get_param("StackDriftDetectionId")
        for stack in self.backend.stacks.values():
            if stack.drift and stack.drift.id == detection_id:
                return ActionResult(answers.drift_detection(stack, stack.drift))
        raise RequestRefusedError(f"No drift detection with id {detection_id}")

    def describe_stack_resource_drifts(self) -> ActionResult:
        """DescribeStackResourceDrifts: the result of the last detection."""
        stack, wanted = self._stack(), self._get_param("StackResourceDriftStatusFilters", [])
        checked = [
            r for r in stack.resources.values() if r.drift and (not wanted or r.drift.status in wanted)
        ]
        return ActionResult({"StackResourceDrifts": [answers.resource_drift(stack, r) for r in checked]})

    def _stack(self) -> Stack:
        return self.backend.stack(self._get_param("StackName"))

    def _deploy(self, kind: str) -> Stack:
        change_set = self.backend.create_change_set("direct", kind, self._request())
        if kind == "CREATE":
            change_set.stack.protected = bool(self._get_param("EnableTerminationProtection", False))
            change_set.stack.policy = self._get_param("StackPolicyBody")
        if change_set.execution_status != "AVAILABLE":
            self.backend.change_sets.pop(change_set.id)
            raise RequestRefusedError("No updates are to be performed.")
        rollback = (
            not self._get_param("DisableRollback", False) and self._get_param("OnFailure") != "DO_NOTHING"
        )
        token = self._get_param("ClientRequestToken")
        self.backend.execute(change_set, rollback=rollback, token=token)
        if self._get_param("OnFailure") == "DELETE" and change_set.stack.status == "ROLLBACK_COMPLETE":
            change_set.stack.protected = False
            self.backend.delete(change_set.stack, token)
        if kind == "UPDATE" and self._get_param("StackPolicyBody"):
            change_set.stack.policy = self._get_param("StackPolicyBody")
        return change_set.stack

    def _request(self) -> Request:
        return Request(
            stack_name=self._get_param("StackName"),
            template=self._template_text(),
            parameters={p["ParameterKey"]: self._parameter(p) for p in self._get_param("Parameters", [])},
            tags={tag["Key"]: tag["Value"] for tag in self._get_param("Tags", [])},
            capabilities=tuple(self._get_param("Capabilities", [])),
            role_arn=self._get_param("RoleARN"),
            description=self._get_param("Description"),
            policy_during_update=self._get_param("StackPolicyDuringUpdateBody"),
            retain_except_on_create=bool(self._get_param("RetainExceptOnCreate", False)),
        )

    @staticmethod
    def _parameter(parameter: dict[str, Any]) -> str | None:
        return None if parameter.get("UsePreviousValue") else str(parameter.get("ParameterValue", ""))

    def _has_template(self) -> bool:
        return bool(self._get_param("TemplateBody") or self._get_param("TemplateURL"))

    def _template_text(self) -> str:
        body, url = self._get_param("TemplateBody"), self._get_param("TemplateURL")
        if body:
            return str(body)
        if self._get_param("UsePreviousTemplate"):
            template = self._stack().template
            return template.text if template else ""
        if not url:
            raise RequestRefusedError("Either Template URL or Template Body must be specified.")
        return self._stored(url)

    def _stored(self, url: str) -> str:
        """Return the text of the object that a template URL names, in either of S3's two URL styles."""
        place = urlparse(url)
        bucket, _, key = place.path.lstrip("/").partition("/")
        if ".s3." in place.netloc:
            bucket, key = place.netloc.split(".s3.")[0], place.path.lstrip("/")
        s3 = self.backend.account.client("s3")
        try:
            text: str = s3.get_object(Bucket=bucket, Key=unquote(key))["Body"].read().decode()
        except (s3.exceptions.NoSuchKey, s3.exceptions.NoSuchBucket):
            raise RequestRefusedError(f"S3 error: The specified key does not exist: {bucket}/{key}") from None
        return text
