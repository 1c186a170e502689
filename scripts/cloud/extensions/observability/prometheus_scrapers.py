"""Emulated rules, scrapers and anomaly detectors of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from moto.core.responses import ActionResult, EmptyResult

from scripts.cloud.extensions.kubernetes.eks_records import EksRecords
from scripts.cloud.extensions.records import Record, RefusedError, now

from .prometheus_records import PrometheusRecords

_ACTIVE = {"statusCode": "ACTIVE"}
_SCRAPER = ("alias", "scrapeConfiguration", "source", "destination", "roleConfiguration", "exporters")
_DETECTOR = ("alias", "evaluationIntervalInSeconds", "missingDataAction", "configuration", "labels")


class ScraperOperations(PrometheusRecords):
    """Operations on rules, scrapers and anomaly detectors."""

    def create_rule_groups_namespace(self) -> ActionResult:
        """CreateRuleGroupsNamespace."""
        workspace, request = self.workspace(), self._get_params()
        arn = self._rules_arn()
        if arn in self.table("rules"):
            raise RefusedError("ConflictException", f"{request['name']} already exists")
        times = {"createdAt": now(), "modifiedAt": now()}
        rules = {"arn": arn, "name": request["name"], "data": request["data"], "status": _ACTIVE, **times}
        self.table("rules")[arn] = rules | {"workspaceId": workspace["workspaceId"]}
        self.keep_tags(arn, request.get("tags"))
        return ActionResult(rules | {"tags": self.table("tags")[arn]})

    def put_rule_groups_namespace(self) -> ActionResult:
        """PutRuleGroupsNamespace."""
        rules = self._rules()
        rules.update(data=self._get_param("data"), modifiedAt=now())
        return ActionResult(rules | {"tags": self.table("tags")[rules["arn"]]})

    def describe_rule_groups_namespace(self) -> ActionResult:
        """DescribeRuleGroupsNamespace."""
        rules = self._rules()
        return ActionResult({"ruleGroupsNamespace": rules | {"tags": self.table("tags")[rules["arn"]]}})

    def list_rule_groups_namespaces(self) -> ActionResult:
        """ListRuleGroupsNamespaces."""
        workspace_id, wanted = self.workspace()["workspaceId"], self._get_param("name") or ""
        rules = [r for r in self.table("rules").values() if r["workspaceId"] == workspace_id]
        return ActionResult({"ruleGroupsNamespaces": [r for r in rules if r["name"].startswith(wanted)]})

    def delete_rule_groups_namespace(self) -> EmptyResult:
        """DeleteRuleGroupsNamespace."""
        arn = self._rules()["arn"]
        return self.drop("rules", arn, arn)

    def create_scraper(self) -> ActionResult:
        """CreateScraper."""
        request = self._get_params()
        self._check_scraper(request)
        scraper_id = self.uuid("s", "scraper")
        role = f"arn:aws:iam::{self.current_account}:role/aws-service-role/scraper.aps.amazonaws.com"
        scraper: Record = {
            **{key: request[key] for key in _SCRAPER if key in request},
            "scraperId": scraper_id,
            "arn": self.arn(f"scraper/{scraper_id}"),
            "roleArn": f"{role}/AWSServiceRoleForAmazonPrometheusScraper_{self.next_id('role', 14)}",
            "status": _ACTIVE,
            "createdAt": now(),
            "lastModifiedAt": now(),
        }
        self.table("scrapers")[scraper_id] = scraper
        self.keep_tags(scraper["arn"], request.get("tags"))
        return ActionResult(scraper)

    def describe_scraper(self) -> ActionResult:
        """DescribeScraper."""
        return ActionResult({"scraper": self._scraper()})

    def list_scrapers(self) -> ActionResult:
        """ListScrapers."""
        return ActionResult({"scrapers": list(self.table("scrapers").values())})

    def update_scraper(self) -> ActionResult:
        """UpdateScraper."""
        scraper, request = self._scraper(), self._get_params()
        self._check_scraper(request)
        scraper |= {k: request[k] for k in _SCRAPER if k in request and k != "source"}
        scraper["lastModifiedAt"] = now()
        return ActionResult(scraper)

    def delete_scraper(self) -> ActionResult:
        """DeleteScraper."""
        scraper = self._scraper()
        del self.table("scrapers")[scraper["scraperId"]]
        self.forget_tags(scraper["arn"])
        return ActionResult({"scraperId": scraper["scraperId"], "status": {"statusCode": "DELETING"}})

    def update_scraper_logging_configuration(self) -> ActionResult:
        """UpdateScraperLoggingConfiguration."""
        scraper, request = self._scraper(), self._get_params()
        kept = {key: request[key] for key in ("loggingDestination", "scraperComponents") if key in request}
        scraper["logging"] = kept | {
            "status": _ACTIVE,
            "modifiedAt": now(),
            "scraperId": scraper["scraperId"],
        }
        return ActionResult({"status": _ACTIVE})

    def describe_scraper_logging_configuration(self) -> ActionResult:
        """DescribeScraperLoggingConfiguration."""
        scraper = self._scraper()
        if "logging" not in scraper:
            raise self.missing(f"logging of scraper {scraper['scraperId']}")
        return ActionResult(scraper["logging"])

    def delete_scraper_logging_configuration(self) -> EmptyResult:
        """DeleteScraperLoggingConfiguration."""
        self._scraper().pop("logging", None)
        return EmptyResult()

    def create_anomaly_detector(self) -> ActionResult:
        """CreateAnomalyDetector."""
        workspace, request = self.workspace(), self._get_params()
        siblings = [
            d for d in self.table("detectors").values() if d["workspaceId"] == workspace["workspaceId"]
        ]
        if any(detector["alias"] == request["alias"] for detector in siblings):
            raise RefusedError("ConflictException", f"{request['alias']} already exists")
        detector_id = self.uuid("ad", "detector")
        arn = self.arn(f"anomalydetector/{workspace['workspaceId']}/{detector_id}")
        detector: Record = {
            **{key: request[key] for key in _DETECTOR if key in request},
            "workspaceId": workspace["workspaceId"],
            "anomalyDetectorId": detector_id,
            "arn": arn,
            "status": _ACTIVE,
            "createdAt": now(),
            "modifiedAt": now(),
        }
        self.table("detectors")[arn] = detector
        self.keep_tags(arn, request.get("tags"))
        return ActionResult(detector)

    def put_anomaly_detector(self) -> ActionResult:
        """PutAnomalyDetector."""
        detector, request = self._detector(), self._get_params()
        detector |= {key: request[key] for key in _DETECTOR if key in request} | {"modifiedAt": now()}
        return ActionResult(detector)

    def describe_anomaly_detector(self) -> ActionResult:
        """DescribeAnomalyDetector."""
        return ActionResult({"anomalyDetector": self._detector()})

    def delete_anomaly_detector(self) -> EmptyResult:
        """DeleteAnomalyDetector."""
        arn = self._detector()["arn"]
        return self.drop("detectors", arn, arn)

    def _check_scraper(self, request: Record) -> None:
        source = request.get("source") or {}
        for network in source.values():
            self.require_network(network["subnetIds"], network.get("securityGroupIds") or [])
        cluster = (source.get("eksConfiguration") or {}).get("clusterArn")
        clusters = EksRecords.records(self.current_account, self.region, "clusters").values()
        if cluster and all(known["arn"] != cluster for known in clusters):
            raise RefusedError(self.invalid, f"the cluster {cluster} does not exist")
        target = ((request.get("destination") or {}).get("ampConfiguration") or {}).get("workspaceArn")
        known = {workspace["arn"] for workspace in self.table("workspaces").values()}
        if target and target.split(":")[4] == self.current_account and target not in known:
            raise self.missing(f"workspace {target}")

    def _rules_arn(self) -> str:
        return self.arn(f"rulegroupsnamespace/{self.workspace()['workspaceId']}/{self._get_param('name')}")

    def _rules(self) -> Record:
        return self.found("rules", self._rules_arn())

    def _scraper(self) -> Record:
        scraper_id = self._get_param("scraperId")
        return self.found("scrapers", scraper_id, f"scraper {scraper_id}")

    def _detector(self) -> Record:
        workspace_id, wanted = self.workspace()["workspaceId"], self._get_param("anomalyDetectorId")
        for detector in self.table("detectors").values():
            if (detector["workspaceId"], detector["anomalyDetectorId"]) == (workspace_id, wanted):
                return detector
        raise self.missing(f"anomaly detector {wanted}")
