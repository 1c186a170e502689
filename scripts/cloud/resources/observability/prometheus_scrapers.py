"""Amazon Managed Service for Prometheus scrapers and anomaly detectors."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, call
from scripts.cloud.resources.base import Context, Existing, Properties, found, only
from scripts.cloud.resources.casing import pascal

from .prometheus import InWorkspace


class Scraper(ApiModel):
    """A managed collector."""

    type = "AWS::APS::Scraper"
    service, noun = "amp", "scraper"
    key = ("scraperId:ScraperId",)
    ref = "{Arn}"
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        blob = base64.b64decode(new["ScrapeConfiguration"]["ConfigurationBlob"])
        return {**new, "ScrapeConfiguration": {"ConfigurationBlob": blob}}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        scraper = {"scraperId": existing.attributes["ScraperId"]}
        before, after = (p.get("ScraperLoggingConfiguration") for p in (existing.properties, properties))
        if after and after != before:
            call(client, "update_scraper_logging_configuration", after, **scraper)
        elif before and not after:
            client.delete_scraper_logging_configuration(**scraper)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        ask = context.client("amp").describe_scraper_logging_configuration
        logging = found(ask, scraperId=existing.attributes["ScraperId"]) or {}
        blob = record["ScrapeConfiguration"]["ConfigurationBlob"].encode()
        more = {
            "ScrapeConfiguration": {"ConfigurationBlob": base64.b64encode(blob).decode()},
            "ScraperLoggingConfiguration": pascal(only(logging, "loggingDestination", "scraperComponents")),
        }
        return super().properties(context, existing, {**record, **more})


class AnomalyDetector(InWorkspace):
    """An anomaly detector for a query."""

    type = "AWS::APS::AnomalyDetector"
    noun = "anomaly_detector"
    key = ("workspaceId", "anomalyDetectorId")

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        labels = {label["Key"]: label["Value"] for label in new.get("Labels") or []}
        return super().request_properties(context, old, {**new, "Labels": labels})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        labels = [{"Key": key, "Value": value} for key, value in sorted(record.get("Labels", {}).items())]
        return super().properties(context, existing, {**record, "Labels": labels})
