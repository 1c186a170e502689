"""EKS add-ons and pod identity associations."""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult

from scripts.cloud.extensions.records import Record, RefusedError, now

from .eks_records import EksRecords

_ADDON_SETTINGS = ("addonVersion", "serviceAccountRoleArn", "configurationValues")
_ROLE_SETTINGS = ("roleArn", "disableSessionTags", "targetRoleArn", "policy")


class AddonOperations(EksRecords):
    """EKS operations on add-ons and pod identity associations."""

    def create_addon(self) -> ActionResult:
        """CreateAddon."""
        cluster, request = self.own_cluster(), self._get_params()
        key = f"{cluster['name']}/{request['addonName']}"
        if key in self.table("addons"):
            raise RefusedError("ResourceInUseException", "Addon already exists.")
        self.require_role(request.get("serviceAccountRoleArn"))
        arn = self.arn(f"addon/{key}/{self.next_id('addon', 36)}")
        addon: Record = {
            **{k: request[k] for k in (*_ADDON_SETTINGS, "addonName", "namespaceConfig") if k in request},
            "clusterName": cluster["name"],
            "addonArn": arn,
            "status": "ACTIVE",
            "health": {"issues": []},
            "createdAt": now(),
            "modifiedAt": now(),
            "tags": dict(request.get("tags") or {}),
        }
        self._roles_of_addon(addon, request)
        self.table("addons")[key] = addon
        self.keep_tags(arn, addon["tags"])
        return ActionResult({"addon": addon})

    def describe_addon(self) -> ActionResult:
        """DescribeAddon."""
        return ActionResult({"addon": self._addon()})

    def list_addons(self) -> ActionResult:
        """ListAddons."""
        addons = self.of_cluster("addons", self.own_cluster()["name"])
        return ActionResult({"addons": [addon["addonName"] for addon in addons]})

    def update_addon(self) -> ActionResult:
        """UpdateAddon."""
        addon, request = self._addon(), self._get_params()
        self.require_role(request.get("serviceAccountRoleArn"))
        addon |= {key: request[key] for key in _ADDON_SETTINGS if key in request} | {"modifiedAt": now()}
        if "podIdentityAssociations" in request:
            self._forget_roles(addon)
            self._roles_of_addon(addon, request)
        return self.update("AddonUpdate")

    def delete_addon(self) -> ActionResult:
        """DeleteAddon."""
        addon = self._addon()
        self._forget_roles(addon)
        del self.table("addons")[f"{addon['clusterName']}/{addon['addonName']}"]
        self.forget_tags(addon["addonArn"])
        return ActionResult({"addon": addon})

    def create_pod_identity_association(self) -> ActionResult:
        """CreatePodIdentityAssociation."""
        request = self._get_params()
        self.own_cluster()
        return ActionResult({"association": self._associate(request)})

    def describe_pod_identity_association(self) -> ActionResult:
        """DescribePodIdentityAssociation."""
        return ActionResult({"association": self._association()})

    def list_pod_identity_associations(self) -> ActionResult:
        """ListPodIdentityAssociations."""
        wanted = {k: v for k in ("namespace", "serviceAccount") if (v := self._get_param(k))}
        found = self.of_cluster("associations", self.own_cluster()["name"])
        return ActionResult({"associations": [a for a in found if wanted.items() <= a.items()]})

    def update_pod_identity_association(self) -> ActionResult:
        """UpdatePodIdentityAssociation."""
        association, request = self._association(), self._get_params()
        self.require_role(request.get("roleArn"))
        association |= {key: request[key] for key in _ROLE_SETTINGS if key in request} | {"modifiedAt": now()}
        return ActionResult({"association": association})

    def delete_pod_identity_association(self) -> ActionResult:
        """DeletePodIdentityAssociation."""
        association = self._association()
        del self.table("associations")[association["associationId"]]
        self.forget_tags(association["associationArn"])
        return ActionResult({"association": association})

    def _associate(self, request: Record, **more: Any) -> Record:
        self.require_role(request["roleArn"])
        who = (request["namespace"], request["serviceAccount"])
        for other in self.of_cluster("associations", request["clusterName"]):
            if who == (other["namespace"], other["serviceAccount"]):
                message = f"Association already exists: {other['associationId']}"
                raise RefusedError("ResourceInUseException", message)
        association_id = f"a-{self.next_id('association', 17)}"
        association: Record = {
            **{k: v for k, v in request.items() if k != "clientRequestToken"},
            **more,
            "associationId": association_id,
            "associationArn": self.arn(f"podidentityassociation/{request['clusterName']}/{association_id}"),
            "createdAt": now(),
            "modifiedAt": now(),
            "tags": dict(request.get("tags") or {}),
        }
        if "targetRoleArn" in request:
            association["externalId"] = (
                f"{self.region}/{self.current_account}/{request['clusterName']}/{association_id}"
            )
        self.table("associations")[association_id] = association
        self.keep_tags(association["associationArn"], association["tags"])
        return association

    def _roles_of_addon(self, addon: Record, request: Record) -> None:
        """Create the pod identity associations of an add-on, in its namespace."""
        namespace = (addon.get("namespaceConfig") or {}).get("namespace", "kube-system")
        made = [
            self._associate(
                {"clusterName": addon["clusterName"], "namespace": namespace, **role},
                ownerArn=addon["addonArn"],
            )
            for role in request.get("podIdentityAssociations") or []
        ]
        addon["podIdentityAssociations"] = [association["associationArn"] for association in made]

    def _forget_roles(self, addon: Record) -> None:
        for key, association in list(self.table("associations").items()):
            if association["associationArn"] in addon["podIdentityAssociations"]:
                del self.table("associations")[key]

    def _addon(self) -> Record:
        cluster, name = self.own_cluster(), self._get_param("addonName")
        addon = self.table("addons").get(f"{cluster['name']}/{name}")
        if addon is None:
            raise RefusedError(self.not_found, f"No addon: {name} found in cluster: {cluster['name']}")
        return addon

    def _association(self) -> Record:
        self.own_cluster()
        found = self.table("associations").get(self._get_param("associationId"))
        if found is None or found["clusterName"] != self._get_param("clusterName"):
            raise self.missing(self._get_param("associationId"))
        return found
