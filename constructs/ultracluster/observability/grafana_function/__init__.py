"""The code of a Lambda function that loads dashboards into Grafana: it imports nothing of the library.

CloudFormation asks it to create, change and delete custom resources. Whatever happens it answers, since a
stack waits for the answer, and it stops in time to be able to.
"""
