"""AMP's own collector for a cluster of EKS."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsScraperProps(Tagged):
    """What a collector reads, and where it sends that.

    Attributes:
        alias: Its name, 1 to 100 characters.
        cluster_arn: The cluster of EKS, whose access is by entries of its API: AWS makes the collector's own.
        subnet_ids: 2 to 5 subnets in two zones or more, for its interfaces.
        security_group_ids: 1 to 5 security groups that may reach the nodes and the cluster's API.
        workspace_arn: The Prometheus workspace that it sends to.
        configuration: What it reads, as Prometheus is told it: `global` and `scrape_configs`, 256 KB at most.
        dependencies: What must be there before it.
    """

    alias: str
    cluster_arn: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    workspace_arn: str
    configuration: str
    dependencies: Sequence[IDependable] = ()


class MetricsScraper(Construct):
    """A collector that finds pods and nodes by the cluster's API.

    It acts under a service-linked role, which AWS makes with the first collector of an account.
    Source: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html

    Attributes:
        scraper_id: The collector.
        role_arn: The role that it acts under.
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
                # a template can be read in a pull request so
                "ScrapeConfiguration": {"ConfigurationBlob": {"Fn::Base64": props.configuration}},
                "Tags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
            depends_on=props.dependencies,
        )
        self.scraper_id = attribute(scraper, "ScraperId")
        self.role_arn = attribute(scraper, "RoleArn")
