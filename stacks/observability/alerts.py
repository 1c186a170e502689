"""Resources for alerts: topics, rules and CloudWatch alarms."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from config.design.observability.files import severities_of, topic_name
from config.design.observability.plan import ObservabilityPlan, is_discarded
from config.profile.model import Profile
from config.profile.observability.alerts import SnsReceiver
from stacks.common import tags_of
from stacks.foundation import SharedStorage
from ultracluster.observability import (
    AlertKey,
    AlertKeyProps,
    AlertRules,
    AlertRulesProps,
    AlertTopic,
    AlertTopicProps,
    MetricAlarm,
    MetricAlarmProps,
    MetricsWorkspace,
    discarded_samples,
)


def add_topics(
    scope: Construct, profile: Profile, plan: ObservabilityPlan
) -> Mapping[SnsReceiver, AlertTopic]:
    """Create a topic for each receiver without `topic_arn`, and one KMS key for all topics."""
    name, wanted = profile.name, plan.new_topics
    if not wanted:
        return {}
    key = AlertKey(
        scope,
        "AlertKey",
        AlertKeyProps(
            alias=f"{name}-alerts", description=f"Alerts of the cluster {name}", tags=tags_of(profile)
        ),
    )
    return {
        receiver: AlertTopic(
            scope,
            f"Alerts-{severities_of(receiver)}",
            AlertTopicProps(
                name=topic_name(name, receiver),
                display_name=f"Cluster {name}"[:100],
                key_arn=key.key_arn,
                emails=receiver.emails,
                tags=tags_of(profile),
            ),
        )
        for receiver in wanted
    }


def topic_arns(
    plan: ObservabilityPlan, topics: Mapping[SnsReceiver, AlertTopic], severity: str | None = None
) -> list[str | None]:
    """Return the topic ARN of each receiver with this severity; None for a receiver without a topic."""
    found: list[str | None] = []
    for receiver in plan.wanted.alerts.receivers:
        arn = None
        if isinstance(receiver, SnsReceiver):
            arn = receiver.topic_arn or (topics[receiver].topic_arn if receiver in topics else None)
        if severity is None or severity in receiver.severities:
            found.append(arn)
    return found


def add_alerts(
    scope: Construct,
    profile: Profile,
    plan: ObservabilityPlan,
    topics: Mapping[SnsReceiver, AlertTopic],
    metrics: MetricsWorkspace | None,
    storage: SharedStorage,
) -> None:
    """Create the rules of a workspace, the CloudWatch alarms, and the policies of the topics."""
    workspace_arn = metrics.workspace_arn if metrics else None
    for topic in topics.values():
        topic.allow_senders(workspace_arn)
    if workspace_arn is not None and plan.rules is not None:
        AlertRules(
            scope,
            "Rules",
            AlertRulesProps(
                workspace_arn=workspace_arn, name=profile.name, text=plan.rules, tags=tags_of(profile)
            ),
        )
    ids = {system.plan.name: system.file_system_id for system in storage.file_systems}
    for alarm in plan.alarms(ids).alarms:
        query: object = alarm.query
        if metrics is not None and is_discarded(alarm.name):
            query = discarded_samples(
                metrics.workspace_id
            )  # only samples of this workspace, not of all workspaces in the Region
        MetricAlarm(
            scope,
            f"Alarm-{alarm.name}",
            MetricAlarmProps(
                name=f"{profile.name}-{alarm.name}",
                description=alarm.description,
                query=query,
                threshold=alarm.threshold,
                comparison="above",
                period_s=alarm.period_s,
                periods=alarm.periods,
                action_arns=[arn for arn in topic_arns(plan, topics, alarm.severity) if arn],
                tags=tags_of(profile),
            ),
        )
