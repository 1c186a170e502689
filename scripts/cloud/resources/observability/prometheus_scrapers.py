"""Amazon Managed Service for Prometheus: scrapers that fill a workspace, detectors that watch it."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

import base64
from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    retag,
)
from scripts.cloud.resources.casing import camel, pascal


class Scraper(Model):
    """A managed collector."""

    type = "AWS::APS::Scraper"
    _NAMES = ("Alias", "Destination", "RoleConfiguration")

    def create(self, context: Context, properties: Properties) -> Created:
        amp = context.client("amp")
        made = amp.create_scraper(
            source=camel(properties["Source"]), **self._request(properties), tags=context.tags(properties)
        )
        context.claim(made["arn"], ScraperId=made["scraperId"])
        self._logging(amp, made["scraperId"], {}, properties)
        scraper = amp.describe_scraper(scraperId=made["scraperId"])["scraper"]
        return Created(made["arn"], pascal(only(scraper, "arn", "scraperId", "roleArn")))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        amp, scraper_id = context.client("amp"), existing.attributes["ScraperId"]
        amp.update_scraper(scraperId=scraper_id, **self._request(properties))
        self._logging(amp, scraper_id, existing.properties, properties)
        retag(context, amp, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_scraper(scraperId=existing.attributes["ScraperId"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        amp, scraper_id = context.client("amp"), existing.attributes["ScraperId"]
        answer = found(amp.describe_scraper, scraperId=scraper_id)
        if answer is None:
            return None
        blob = answer["scraper"]["scrapeConfiguration"]["configurationBlob"]
        logging = found(amp.describe_scraper_logging_configuration, scraperId=scraper_id) or {}
        return known(
            **pascal(only(answer["scraper"], "alias", "source", "destination", "roleConfiguration")),
            ScrapeConfiguration={"ConfigurationBlob": base64.b64encode(blob).decode()},
            ScraperLoggingConfiguration=pascal(only(logging, "loggingDestination", "scraperComponents")),
        )

    def _request(self, properties: Properties) -> dict[str, Any]:
        blob = base64.b64decode(properties["ScrapeConfiguration"]["ConfigurationBlob"])
        request: dict[str, Any] = camel(only(properties, *self._NAMES))
        return request | {"scrapeConfiguration": {"configurationBlob": blob}}

    @staticmethod
    def _logging(amp: Any, scraper_id: str, old: Properties, new: Properties) -> None:
        before, after = (p.get("ScraperLoggingConfiguration") for p in (old, new))
        if after and after != before:
            amp.update_scraper_logging_configuration(scraperId=scraper_id, **camel(after))
        elif before and not after:
            amp.delete_scraper_logging_configuration(scraperId=scraper_id)


class AnomalyDetector(Model):
    """A detector of unusual values of a query."""

    type = "AWS::APS::AnomalyDetector"
    _NAMES = ("EvaluationIntervalInSeconds", "MissingDataAction", "Configuration")

    def create(self, context: Context, properties: Properties) -> Created:
        made = context.client("amp").create_anomaly_detector(
            workspaceId=properties["Workspace"].split("/")[-1],
            alias=properties["Alias"],
            **self._request(properties),
            tags=context.tags(properties),
        )
        return Created(made["arn"], {"Arn": made["arn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        amp = context.client("amp")
        amp.put_anomaly_detector(**self._names(existing), **self._request(properties))
        retag(context, amp, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_anomaly_detector(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("amp").describe_anomaly_detector, **self._names(existing))
        if answer is None:
            return None
        detector = answer["anomalyDetector"]
        names = ("alias", "evaluationIntervalInSeconds", "missingDataAction", "configuration")
        labels = [{"Key": key, "Value": value} for key, value in sorted(detector.get("labels", {}).items())]
        return known(**pascal(only(detector, *names)), Labels=labels)

    def _request(self, properties: Properties) -> dict[str, Any]:
        labels = {label["Key"]: label["Value"] for label in properties.get("Labels") or []}
        request: dict[str, Any] = camel(only(properties, *self._NAMES))
        return request | ({"labels": labels} if labels else {})

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        workspace_id, detector_id = existing.physical_id.split("/")[-2:]
        return {"workspaceId": workspace_id, "anomalyDetectorId": detector_id}


MODELS = (Scraper(), AnomalyDetector())
