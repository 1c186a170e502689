"""Service Quotas operations that moto lacks: GetAWSDefaultServiceQuota and ListServiceQuotas.

moto only has the quotas of VPC. For other services, the operations return that the quota does not exist.
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult
from moto.servicequotas.responses import ServiceQuotasResponse

from scripts.cloud.extensions.patch import adds


@adds(ServiceQuotasResponse, "get_aws_default_service_quota")
def _default(self: ServiceQuotasResponse) -> ActionResult:
    codes = self._get_param("ServiceCode"), self._get_param("QuotaCode")
    return ActionResult({"Quota": self.backend.get_service_quota(*codes)})


@adds(ServiceQuotasResponse, "list_service_quotas")
def _list(self: ServiceQuotasResponse) -> ActionResult:
    quotas: list[dict[str, Any]] = self.backend.list_aws_default_service_quotas(
        self._get_param("ServiceCode")
    )
    return ActionResult({"Quotas": quotas})
