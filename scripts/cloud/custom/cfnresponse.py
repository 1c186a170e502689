"""CloudFormation's module for inline functions: `cfnresponse.send` responds to a custom resource's request.

This file is not imported here; it is added to the archive. Names and defaults are those of
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-lambda-function-code-cfnresponsemodule.html
"""

import json
import urllib.request

SUCCESS = "SUCCESS"
FAILED = "FAILED"


def send(  # type: ignore[no-untyped-def] # noqa: D103
    event,
    context,
    responseStatus,  # noqa: N803 - callers name it so
    responseData,  # noqa: N803
    physicalResourceId=None,  # noqa: N803
    noEcho=False,  # noqa: N803
    reason=None,
):
    body = {
        "Status": responseStatus,
        "Reason": reason or f"See the details in CloudWatch Log Stream: {context.log_stream_name}",
        "PhysicalResourceId": physicalResourceId or context.log_stream_name,
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "NoEcho": noEcho,
        "Data": responseData,
    }
    request = urllib.request.Request(
        event["ResponseURL"], json.dumps(body).encode(), {"Content-Type": ""}, method="PUT"
    )
    try:
        urllib.request.urlopen(request).close()
    except Exception as error:  # as in AWS's module: it prints the error, and CloudFormation waits
        print("send(..) failed executing http.request(..):", error)
