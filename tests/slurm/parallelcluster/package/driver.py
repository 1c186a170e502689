"""Runs in ParallelCluster's environment: reads questions as JSON on stdin, writes answers as JSON on stdout.

It imports only modules of this folder, and does not connect to AWS: the answers are ParallelCluster's
results, not those of AWS.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from tests.slurm.parallelcluster.package.moto_account import Json, Renaming, account

SHOWN = (
    "CapacityReservationSpecification",
    "InstanceMarketOptions",
    "InstanceType",
    "NetworkInterfaces",
    "Placement",
)
"""Keys of a launch template in the answers; the others set up ParallelCluster's own nodes."""


def answer(question: Mapping[str, Any], renaming: Renaming) -> Json:
    """Return ParallelCluster's result for a configuration, with the fields of `queries.Answer`."""
    from marshmallow import ValidationError  # type: ignore[import-not-found]
    from pcluster.schemas.cluster_schema import ClusterSchema  # type: ignore[import-not-found]

    found: Json = {}
    configuration = renaming.to_moto(question["configuration"])
    try:
        schema = ClusterSchema(cluster_name=question["name"])
        found["schema_errors"] = schema.validate(configuration)
        if found["schema_errors"] or question["operations"] == ["schema"]:
            return found
        cluster = schema.load(configuration)
        if "validate" in question["operations"]:
            found["failures"] = failures(cluster)
        if "synthesize" in question["operations"]:
            cluster.source_config = configuration
            found["launch_templates"] = launch_templates(cluster, question["name"])
    except ValidationError as error:
        found["schema_errors"] = error.messages
    except Exception as error:  # an exception of the package is part of the answer
        found["error"] = f"{type(error).__name__}: {error}"
    return found


def failures(cluster: Any) -> list[Json]:
    """Return the failures of the semantic validators."""
    return [
        {"validator": failure.validator_type, "level": failure.level.name, "message": failure.message}
        for failure in cluster.validate()
    ]


def launch_templates(cluster: Any, name: str) -> dict[str, Json]:
    """Return the launch templates of the compute resources, by `queue/compute resource`."""
    from pcluster.aws.aws_api import AWSApi  # type: ignore[import-not-found]
    from pcluster.models.s3_bucket import S3Bucket  # type: ignore[import-not-found]
    from pcluster.templates.cdk_builder import CDKTemplateBuilder  # type: ignore[import-not-found]

    bucket = S3Bucket(service_name="pcluster", stack_name=name, artifact_directory=name, name=name)
    AWSApi.instance().s3.create_bucket(bucket_name=bucket.name, region=bucket.region)
    _, assets = CDKTemplateBuilder.build_cluster_template(cluster, bucket, name)
    resources = {
        resource["Properties"]["LaunchTemplateName"]: resource["Properties"]["LaunchTemplateData"]
        for asset in assets
        for resource in asset["content"]["Resources"].values()
        if resource["Type"] == "AWS::EC2::LaunchTemplate"
    }
    return {
        f"{queue.name}/{machines.name}": {
            key: value
            for key, value in resources[f"{name}-{queue.name}-{machines.name}"].items()
            if key in SHOWN
        }
        for queue in cluster.scheduling.queues
        for machines in queue.compute_resources
    }


def limits() -> Json:
    """Return limits of the package, which `config.design.report.parallelcluster.limits` repeats."""
    from pcluster import constants  # type: ignore[import-not-found]
    from pcluster.schemas.cluster_schema import CloudWatchLogsSchema
    from pcluster.validators import cluster_validators, slurm_settings_validator  # type: ignore[import-not-found]

    return {
        "version": constants.COOKBOOK_PACKAGES_VERSIONS["parallelcluster"],
        "longest_name": cluster_validators.NAME_MAX_LENGTH,
        "longest_storage_name": cluster_validators.SHARED_STORAGE_NAME_MAX_LENGTH,
        "longest_cluster_name": constants.PCLUSTER_NAME_MAX_LENGTH,
        "most_queues": constants.MAX_NUMBER_OF_QUEUES,
        "most_compute_resources": constants.MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER,
        "most_pools": constants.MAX_NUMBER_OF_LOGIN_NODE_POOLS,
        "most_new_lustre": constants.MAX_NEW_STORAGE_COUNT["fsx"],
        "log_days": list(CloudWatchLogsSchema().fields["retention_in_days"].validate.choices),
        "lustre_tiers": {**constants.FSX_SSD_THROUGHPUT, "HDD": constants.FSX_HDD_THROUGHPUT},
        "operating_systems": constants.SUPPORTED_OSES,
        "operating_systems_not_for_gb200": constants.UNSUPPORTED_OSES_FOR_P6E_GB200,
        "ultraservers": constants.ULTRASERVER_INSTANCE_PREFIX_LIST,
        "denied_settings": slurm_settings_validator.SLURM_SETTINGS_DENY_LIST,
    }


def main(questions: TextIO, answers: TextIO) -> None:
    """Answer all questions of a document; output of the package is written to stderr."""
    document = json.load(questions)
    with contextlib.redirect_stdout(sys.stderr), account(document["account_state"]) as shown:
        found = {question["name"]: answer(question, shown.renaming) for question in document["questions"]}
        records = shown.instance_types
    json.dump(
        {
            "answers": shown.renaming.from_moto(found),
            "instance_types": records,
            "captured": sorted(shown.captured),
            "limits": limits(),
        },
        answers,
    )


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
