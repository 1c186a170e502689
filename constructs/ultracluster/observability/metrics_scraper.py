"""AMP managed collector for an EKS cluster."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsScraperProps(Tagged):
    """Properties of an AMP managed collector.

    Attributes:
        alias: Name of the collector, 1 to 100 characters.
        cluster_arn: ARN of the EKS cluster. The cluster must support access entries; AWS creates one for the
            collector.
        subnet_ids: 2 to 5 subnets in at least two Availability Zones, for the collector's network interfaces.
        security_group_ids: 1 to 5 security groups that may reach the nodes and the cluster's API.
        workspace_arn: ARN of the AMP workspace that the collector sends metrics to.
        configuration: Prometheus configuration with `global` and `scrape_configs`, at most 256 KB.
        dependencies: Constructs that must be created before the collector.
    """

    alias: str
    cluster_arn: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    workspace_arn: str
    configuration: str
    dependencies: Sequence[IDependable] = ()


class MetricsScraper(Construct):
    """An AMP managed collector that finds pods and nodes through the Kubernetes API.

    The collector uses a service-linked role, which AWS creates with the first collector of an account.
    Source: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html

    Attributes:
        scraper_id: Id of the collector.
        role_arn: ARN of the role of the collector.
    """

    def __init__(self, scope: Construct, construct_id: str, props: MetricsScraperProps) -> None:
        """Create the collector."""
        super().__init__(scope, construct_id)
        scraper = add_resource(
            self,
            "Resource",
            "AWS::APS::Scraper",
            {
                "Alias": props.alias,
                "Source": {
                    "EksConfiguration": {
                        "ClusterArn": props.cluster_arn,
                        "SecurityGroupIds": list(props.security_group_ids),
                        "SubnetIds": list(props.subnet_ids),
                    }
                },
                "Destination": {"AmpConfiguration": {"WorkspaceArn": props.workspace_arn}},
                # encode at deployment, so that the template is readable in a pull request
                "ScrapeConfiguration": {"ConfigurationBlob": {"Fn::Base64": props.configuration}},
                "Tags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
            depends_on=props.dependencies,
        )
        self.scraper_id = attribute(scraper, "ScraperId")
        self.role_arn = attribute(scraper, "RoleArn")
