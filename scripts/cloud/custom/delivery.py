"""Send requests to a provider and receive its responses, with the timeouts and retries of AWS."""

from __future__ import annotations

import logging

from scripts.cloud.template.custom_types import DEFAULT_TIMEOUT_S
from scripts.cloud.template.errors import ResourceFailedError, TimedOutError

from .clock import Clock
from .environment import Environment
from .functions import Function, find_function
from .invocation import FunctionError
from .protocol import Answer, Request, read_answer
from .providers import Behaviour, Call, behaviour_of
from .response_url import response_url

_log = logging.getLogger(__name__)
# CloudFormation invokes the function asynchronously; Lambda retries a failed call twice with the same event
# https://docs.aws.amazon.com/lambda/latest/dg/services-cloudformation.html
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
_WAITS_S = (0.0, 60.0, 120.0)
# source of the text: https://github.com/aws-samples/aws-security-reference-architecture-examples/issues/162
_SILENCE = (
    "CloudFormation did not receive a response from your Custom Resource. "
    "Please check your logs for requestId [{id}]. If you are using the Python cfn-response module, you may "
    "need to update your Lambda function code so that CloudFormation can attach the updated version."
)


class Provider:
    """The provider of a service token."""

    def __init__(self, environment: Environment, function: Function, behaviour: Behaviour) -> None:
        self._surroundings, self._function, self._behaviour = environment, function, behaviour

    @classmethod
    def behind(cls, token: str, resource_type: str, environment: Environment) -> Provider:
        """Find the provider; raises ResourceFailedError with the token and a hint if it does not exist."""
        function = find_function(environment, token)
        if function is None:
            raise ResourceFailedError(
                f"no provider has the service token {token}: it must be the ARN of a Lambda function "
                f"that exists in {environment.region} (the embedded cloud does not support SNS topics)"
            )
        return cls(environment, function, behaviour_of(function, resource_type))

    def ask(self, request: Request) -> Answer:
        """Send a request to the provider, and return its response.

        Raises TimedOutError if there is no response, and ResourceFailedError if the response is invalid.
        """
        limit_s = float(request.properties.get("ServiceTimeout", DEFAULT_TIMEOUT_S))
        clock = Clock()
        with response_url(request, clock) as reply:
            call = Call(
                function=self._function,
                event=request.event(reply.url),
                environment=self._surroundings,
                clock=clock,
                reply=reply,
            )
            for wait_s in _WAITS_S:
                clock.advance(wait_s)
                if clock.s >= limit_s or self._ran(call) or reply.body is not None:
                    break
        if reply.body is None or reply.at_s > limit_s:
            raise TimedOutError(_SILENCE.format(id=request.id), after_s=limit_s)
        return read_answer(reply.body, request)

    def _ran(self, call: Call) -> bool:
        try:
            self._behaviour(call)
        except FunctionError as error:
            _log.info("the provider %s failed: %s", self._function.name, error)
            return False
        return True
