"""Code of the Lambda function that loads dashboards into Grafana; it imports no module of the library.

CloudFormation calls it to create, update and delete custom resources. It always sends a response, since the
stack waits for it, and stops in time to send it.
"""
