"""Ways to break the fabric: each changes what was generated in one place, and says which link that is.

They find their places by the types and keys of CloudFormation and Kubernetes, and not by what is tested.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.proof.artefacts import EditableArtefacts

Break = Callable[[EditableArtefacts, str], bool]
"""Breaks the link of a subject; False where these artefacts have nothing to break in that way."""

LUSTRE = "lustre"


def resources(artefacts: EditableArtefacts, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for template in artefacts.templates.values():
        for name, body in template["Resources"].items():
            if body["Type"] == kind:
                yield name, body


def properties(artefacts: EditableArtefacts, kind: str) -> Iterator[dict[str, Any]]:
    return (body["Properties"] for _, body in resources(artefacts, kind))


def launcher(artefacts: EditableArtefacts, group: str) -> dict[str, Any] | None:
    """What launches a group: a group of HyperPod, of PCS, or of EKS."""
    for cluster in properties(artefacts, "AWS::SageMaker::Cluster"):
        for one in cluster["InstanceGroups"]:
            if one["InstanceGroupName"] == group:
                found: dict[str, Any] = one
                return found
    for one in properties(artefacts, "AWS::PCS::ComputeNodeGroup"):
        if one["Name"].rpartition("-")[0] == group:
            return one
    for one in properties(artefacts, "AWS::EKS::Nodegroup"):
        if one["Labels"]["ultracluster/group"] == group:
            return one
    return None


def launch_data(artefacts: EditableArtefacts, group: str) -> dict[str, Any] | None:
    """The launch template's data of a group."""
    found = launcher(artefacts, group) or {}
    named = found.get("LaunchTemplate", {}).get("Id") or found.get("CustomLaunchTemplate", {}).get(
        "TemplateId"
    )
    if named is None:
        return None
    body = artefacts.templates[artefacts.stack]["Resources"][named["Ref"]]
    data: dict[str, Any] = body["Properties"]["LaunchTemplateData"]
    return data


def is_hyperpod(artefacts: EditableArtefacts) -> bool:
    return any(True for _ in resources(artefacts, "AWS::SageMaker::Cluster"))


def instance_type(artefacts: EditableArtefacts, group: str) -> bool:
    one, data = launcher(artefacts, group), launch_data(artefacts, group)
    if one is not None and "InstanceType" in one:
        one["InstanceType"] = "ml.p4d.24xlarge"
    elif one is not None and "InstanceConfigs" in one:
        one["InstanceConfigs"] = [{"InstanceType": "p4d.24xlarge"}]
    elif data is not None:
        data["InstanceType"] = "p4d.24xlarge"
    else:
        return False
    return True


def launch_template(artefacts: EditableArtefacts, group: str) -> bool:
    one = launcher(artefacts, group) or {}
    for key in ("LaunchTemplate", "CustomLaunchTemplate"):
        if key in one:
            one[key]["Version"] = "1"
            return True
    return False


def capacity(artefacts: EditableArtefacts, group: str) -> bool:
    one, data = launcher(artefacts, group), launch_data(artefacts, group)
    if one is None:
        return False
    if data is not None and "InstanceMarketOptions" in data:
        del data["InstanceMarketOptions"]
    elif data is not None and "CapacityReservationSpecification" in data:
        del data["CapacityReservationSpecification"]
    elif "CapacityType" in one:
        one["CapacityType"] = "SPOT"
    elif "PurchaseOption" in one or data is not None:
        one["PurchaseOption"] = "SPOT"
    elif "TrainingPlanArn" in one:
        one["TrainingPlanArn"] += "-of-another-zone"
    else:
        one["TrainingPlanArn"] = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/another"
    return True


def placement_group(artefacts: EditableArtefacts, group: str) -> bool:
    data = launch_data(artefacts, group)
    if data is None:
        return False
    if "Placement" in data:
        del data["Placement"]
    else:
        data["Placement"] = {"GroupName": "added-silently"}
    return True


def image(artefacts: EditableArtefacts, group: str) -> bool:
    one = launcher(artefacts, group)
    if one is None:
        return False
    if "AmiType" in one:
        one["AmiType"] = "AL2023_x86_64_STANDARD"
    elif "AmiId" in one:
        one["AmiId"] = one["AmiId"].replace("x86_64", "arm64")
    elif "ImageId" in one:
        return False  # the user's own
    else:
        one["ImageId"] = "ami-0fedcba9876543210"
    return True


def node_scripts(artefacts: EditableArtefacts, group: str) -> bool:
    one, data = launcher(artefacts, group), launch_data(artefacts, group)
    if not artefacts.wanted.scripted:
        return False
    holders = [(one, "LifeCycleConfig"), (one, "NodeLifecycleActions"), (data, "UserData")]
    for holder, key in holders:
        if holder and key in holder:
            text = json.dumps(holder[key])
            for name in artefacts.bundles:
                text = text.replace(name, name[:-4] + "0000")
            holder[key] = json.loads(text)
            return True
    return False


def _efa(data: dict[str, Any] | None, from_end: int) -> dict[str, Any] | None:
    found = [one for one in (data or {}).get("NetworkInterfaces", ()) if one["InterfaceType"] != "interface"]
    return found[max(0, len(found) - 1 - from_end)] if found else None


def network_cards(artefacts: EditableArtefacts, group: str) -> bool:
    one = _efa(launch_data(artefacts, group), 0)
    if one is not None:
        one["NetworkCardIndex"] = 99
    return one is not None


def an_interface_less(artefacts: EditableArtefacts, group: str) -> bool:
    data = launch_data(artefacts, group)
    one = _efa(data, 0)
    if data is None or one is None:
        return False
    data["NetworkInterfaces"].remove(one)
    return len(data["NetworkInterfaces"]) > 0


def interface_types(artefacts: EditableArtefacts, group: str) -> bool:
    one = _efa(launch_data(artefacts, group), 1)
    if one is not None:
        one["InterfaceType"] = "interface"
    return one is not None


def interface_of_hyperpod(artefacts: EditableArtefacts, group: str) -> bool:
    one = launcher(artefacts, group)
    if one is None or not is_hyperpod(artefacts):
        return False
    one["NetworkInterface"] = {"InterfaceType": "interface"}
    return True


def device_indexes(artefacts: EditableArtefacts, group: str) -> bool:
    one = _efa(launch_data(artefacts, group), 2)
    if one is not None:
        one["DeviceIndex"] = 7
    return one is not None


def security_group(artefacts: EditableArtefacts, group: str) -> bool:
    data = launch_data(artefacts, group)
    if data is not None:
        data["SecurityGroupIds"] = ["sg-0f00f00f00f00f00f"]
    return data is not None


def another_group_on_one_interface(artefacts: EditableArtefacts, group: str) -> bool:
    data = launch_data(artefacts, group)
    one = _efa(data, 0)
    if data is None or one is None or len(data["NetworkInterfaces"]) < 3:
        return False
    one["Groups"] = ["sg-0f00f00f00f00f00f"]
    return True


def _rules(artefacts: EditableArtefacts, kind: str, of: str, to: str) -> list[dict[str, Any]]:
    """Rules of one group for another, in all templates; groups by a word of their logical ids."""
    peer = "SourceSecurityGroupId" if kind.endswith("Ingress") else "DestinationSecurityGroupId"
    return [
        one
        for one in properties(artefacts, f"AWS::EC2::SecurityGroup{kind}")
        if of in json.dumps(one["GroupId"]) and to in json.dumps(one[peer])
    ]


def _narrowed(rules: list[dict[str, Any]]) -> bool:
    for rule in rules:
        rule |= {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988}
    return bool(rules)


def self_ingress(artefacts: EditableArtefacts, group: str) -> bool:
    return _narrowed(_rules(artefacts, "Ingress", "NetworkNodes", "NetworkNodes"))


def self_egress(artefacts: EditableArtefacts, group: str) -> bool:
    return _narrowed(_rules(artefacts, "Egress", "NetworkNodes", "NetworkNodes"))


def egress_by_address(artefacts: EditableArtefacts, group: str) -> bool:
    rules = _rules(artefacts, "Egress", "NetworkNodes", "NetworkNodes")
    for rule in rules:
        del rule["DestinationSecurityGroupId"]
        rule["CidrIp"] = "0.0.0.0/0"
    return bool(rules)


def _forget(artefacts: EditableArtefacts, word: str) -> bool:
    """Nothing waits for resources with a word in their logical ids any more."""
    changed = False
    for template in artefacts.templates.values():
        for body in template["Resources"].values():
            after = body.get("DependsOn", [])
            kept = [name for name in after if word not in name]
            changed |= len(kept) < len(after)
            body["DependsOn"] = kept
    return changed


def rules_before_nodes(artefacts: EditableArtefacts, group: str) -> bool:
    return len(artefacts.templates) == 1 and _forget(artefacts, "NetworkNodesSelf")


def one_subnet(artefacts: EditableArtefacts, group: str) -> bool:
    one = launcher(artefacts, group)
    if one is None:
        return False
    holder, key = one, "Subnets" if "Subnets" in one else "SubnetIds"
    if is_hyperpod(artefacts):
        holder, key = next(properties(artefacts, "AWS::SageMaker::Cluster"))["VpcConfig"], "Subnets"
    holder[key] = [*holder[key], "subnet-0f00f00f00f00f00f"]
    return True


def another_zone(artefacts: EditableArtefacts, group: str) -> bool:
    changed = False
    for name, body in resources(artefacts, "AWS::EC2::Subnet"):
        if "primary" in name:
            body["Properties"]["AvailabilityZoneId"] = "usw2-az4"
            changed = True
    return changed


def private_addresses(artefacts: EditableArtefacts, group: str) -> bool:
    changed = False
    for name, body in resources(artefacts, "AWS::EC2::Subnet"):
        if "primary" in name:
            body["Properties"]["MapPublicIpOnLaunch"] = True
            changed = True
    return changed


def charts(artefacts: EditableArtefacts, chart: str) -> list[dict[str, Any]]:
    kind = "Custom::AWSCDK-EKS-HelmChart"
    return [one for one in properties(artefacts, kind) if chart in (one.get("Chart"), one["Release"])]


def _owner(artefacts: EditableArtefacts) -> dict[str, Any] | None:
    found = [*charts(artefacts, "aws-efa-k8s-device-plugin"), *charts(artefacts, "aws-dranet")]
    return found[0] if found else None


def _values(chart: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> None:
    values = json.loads(chart["Values"])
    change(values)
    chart["Values"] = json.dumps(values)


def device_owner(artefacts: EditableArtefacts, group: str) -> bool:
    owner = _owner(artefacts)
    if owner is None:
        return False
    named = next(one for one in artefacts.wanted.groups if one.name == group)
    if owner["Chart"] == "aws-efa-k8s-device-plugin" and named.instance.non_efa_rdma_devices:
        owner["Version"] = "v0.5.3"
        return True
    return False


def no_device_owner(artefacts: EditableArtefacts, group: str) -> bool:
    template = artefacts.templates[artefacts.stack]["Resources"]
    names = [name for name, body in template.items() if body.get("Properties") is _owner(artefacts)]
    for name in names:
        del template[name]
    return bool(names)


def device_owner_types(artefacts: EditableArtefacts, group: str) -> bool:
    owner = _owner(artefacts)
    if owner is None:
        return False
    short = {"keys": ["node.kubernetes.io/instance-type"], "values": ["p3dn.24xlarge"]}
    _values(owner, lambda values: values.update(supportedInstanceLabels=short))
    return True


def device_owner_nodes(artefacts: EditableArtefacts, group: str) -> bool:
    owner = _owner(artefacts)
    if owner is None:
        return False
    _values(owner, lambda values: values.update(nodeSelector={"ultracluster/efa-devices": "somebody"}))
    return True


def device_owner_tolerations(artefacts: EditableArtefacts, group: str) -> bool:
    owner, one = _owner(artefacts), launcher(artefacts, group)
    taints = (one or {}).get("Taints") or (one or {}).get("KubernetesConfig", {}).get("Taints")
    if owner is None or not taints:
        return False
    _values(owner, lambda values: values.update(tolerations=[]))
    return True


def one_owner(artefacts: EditableArtefacts, group: str) -> bool:
    owner = _owner(artefacts)
    if owner is None:
        return False
    other = {"aws-efa-k8s-device-plugin": "aws-dranet"}.get(owner["Chart"], "aws-efa-k8s-device-plugin")
    types = [name for one in artefacts.wanted.groups for name in one.types]
    values = {"supportedInstanceLabels": {"values": [*types, *(f"ml.{name}" for name in types)]}}
    second = {**owner, "Chart": other, "Release": other, "Values": json.dumps(values)}
    body = {"Type": "Custom::AWSCDK-EKS-HelmChart", "Properties": second}
    artefacts.templates[artefacts.stack]["Resources"]["Second"] = body
    return True


def hyperpods_own_plugin(artefacts: EditableArtefacts, group: str) -> bool:
    for chart in charts(artefacts, "hyperpod-dependencies"):
        _values(chart, lambda values: values.pop("aws-efa-k8s-device-plugin"))
        return True
    return False


def gpu_plugin(artefacts: EditableArtefacts, group: str) -> bool:
    for chart in charts(artefacts, "nvidia-device-plugin"):
        if json.loads(chart["Values"])["devicePlugin"]["enabled"]:
            _values(chart, lambda values: values.update(mofedEnabled=True))
            return True
    return False


def _pod(artefacts: EditableArtefacts, group: str) -> dict[str, Any] | None:
    job = artefacts.jobs.get(group)
    if not job:
        return None
    spec = job[-1]["spec"]
    pod: dict[str, Any] = (
        spec["template"]["spec"] if "template" in spec else spec["tasks"][0]["template"]["spec"]
    )
    return pod


def _resources(artefacts: EditableArtefacts, group: str) -> dict[str, Any] | None:
    pod = _pod(artefacts, group)
    return pod["containers"][0]["resources"] if pod else None


def _claims(artefacts: EditableArtefacts, group: str) -> dict[str, Any]:
    """The counts of a job's claims, by class."""
    return {
        request["exactly"]["deviceClassName"]: request["exactly"]
        for one in artefacts.jobs.get(group, ())
        if one["kind"] == "ResourceClaimTemplate"
        for request in one["spec"]["spec"]["devices"]["requests"]
    }


def _ask(artefacts: EditableArtefacts, group: str, resource: str, device_class: str, amount: str) -> bool:
    asked = _resources(artefacts, group)
    claimed = _claims(artefacts, group).get(device_class)
    if claimed is not None:
        claimed["count"] = int(amount)
        return True
    if asked is None or resource not in asked["limits"]:
        return False
    asked["limits"][resource] = asked["requests"][resource] = amount
    return True


def job_request(artefacts: EditableArtefacts, group: str) -> bool:
    return _ask(artefacts, group, "vpc.amazonaws.com/efa", "efa.networking.k8s.aws", "0")


def huge_pages(artefacts: EditableArtefacts, group: str) -> bool:
    return _ask(artefacts, group, "hugepages-2Mi", "", "2Mi")


def gpudirect(artefacts: EditableArtefacts, group: str) -> bool:
    return _ask(artefacts, group, "nvidia.com/gpu", "gpu.nvidia.com", "0")


def job_nodes(artefacts: EditableArtefacts, group: str) -> bool:
    pod = _pod(artefacts, group)
    if pod is not None:
        pod["nodeSelector"] = {"ultracluster/group": "another"}
    return pod is not None


def queue(artefacts: EditableArtefacts, group: str) -> bool:
    changed = False
    for one in properties(artefacts, "Custom::AWSCDK-EKS-KubernetesResource"):
        if not isinstance(one["Manifest"], str):
            continue
        listed = json.loads(one["Manifest"])
        for item in listed:
            asked = (_resources(artefacts, group) or {}).get("limits", {})
            if not {"vpc.amazonaws.com/efa", "hugepages-2Mi"} & set(asked):
                continue
            if item["kind"] == "ClusterQueue":
                for covered in item["spec"]["resourceGroups"]:
                    covered["coveredResources"] = ["cpu", "memory", "nvidia.com/gpu", "pods"]
                    changed = True
            if item["kind"] == "Queue" and "deserved" in item["spec"]:
                for bound in ("deserved", "capability"):
                    if bound in item["spec"]:
                        item["spec"][bound] = {"cpu": "8"}
                changed = True
        one["Manifest"] = json.dumps(listed)
    return changed


ENTRIES = ("on_init_complete.sh", "on_create.sh", "prepare.sh")


def _entry(artefacts: EditableArtefacts) -> tuple[dict[str, str], str] | None:
    for files in artefacts.bundles.values():
        for name in ENTRIES:
            if name in files:
                return files, name
    return None


def _append(artefacts: EditableArtefacts, line: str) -> bool:
    found = _entry(artefacts)
    if found is None or not artefacts.wanted.scripted:
        return False
    files, name = found
    files[name] += line + "\n"
    return True


def memlock(artefacts: EditableArtefacts, group: str) -> bool:
    return _append(artefacts, "ulimit -l 65536")


def environment(artefacts: EditableArtefacts, group: str) -> bool:
    return _append(artefacts, "export FI_PROVIDER=tcp")


def variable_of_a_job(artefacts: EditableArtefacts, group: str) -> bool:
    pod = _pod(artefacts, group)
    if pod is not None:
        pod["containers"][0].setdefault("env", []).append({"name": "NCCL_NET", "value": "Socket"})
    return pod is not None


def nvlink_domain(artefacts: EditableArtefacts, group: str) -> bool:
    job = artefacts.jobs.get(group, [])
    domains = [one for one in job if one["kind"] == "ComputeDomain"]
    for one in domains:
        job.remove(one)
    return bool(domains)


def _set(artefacts: EditableArtefacts, name: str, value: str) -> bool:
    found = _entry(artefacts)
    if found is None:
        return False
    files, _ = found
    lines = files["settings.env"].splitlines()
    changed = [f"{name}='{value}'" if line.startswith(f"{name}='") else line for line in lines]
    files["settings.env"] = "\n".join(changed) + "\n"
    return changed != lines


def device_check(artefacts: EditableArtefacts, group: str) -> bool:
    return artefacts.wanted.scheduler is None and _set(artefacts, "EFA_DEVICES_WANTED", "")


def start_check(artefacts: EditableArtefacts, group: str) -> bool:
    one = launcher(artefacts, group) or {}
    return one.pop("OnStartDeepHealthChecks", None) is not None


def _lustre(artefacts: EditableArtefacts) -> dict[str, Any] | None:
    if not artefacts.wanted.file_systems:
        return None
    kinds = (
        one for one in properties(artefacts, "AWS::FSx::FileSystem") if one["FileSystemType"] == "LUSTRE"
    )
    return next(kinds, None)


def lustre_efa(artefacts: EditableArtefacts, system: str) -> bool:
    one = _lustre(artefacts)
    if one is not None:
        one["LustreConfiguration"]["EfaEnabled"] = False
    return one is not None


def no_metadata(artefacts: EditableArtefacts, system: str) -> bool:
    one = _lustre(artefacts)
    if one is not None:
        del one["LustreConfiguration"]["MetadataConfiguration"]
    return one is not None


def lustre_self(artefacts: EditableArtefacts, system: str) -> bool:
    return _lustre(artefacts) is not None and _narrowed(
        _rules(artefacts, "Ingress", "StorageLustre", "StorageLustre")
    )


def lustre_from_nodes(artefacts: EditableArtefacts, system: str) -> bool:
    return _lustre(artefacts) is not None and _narrowed(
        _rules(artefacts, "Egress", "NetworkNodes", "StorageLustre")
    )


def lustre_to_nodes(artefacts: EditableArtefacts, system: str) -> bool:
    return _lustre(artefacts) is not None and _narrowed(
        _rules(artefacts, "Ingress", "NetworkNodes", "StorageLustre")
    )


def lustre_rules_before(artefacts: EditableArtefacts, system: str) -> bool:
    return _lustre(artefacts) is not None and _forget(artefacts, "StorageLustreSelf")


def lustre_zone(artefacts: EditableArtefacts, system: str) -> bool:
    one = _lustre(artefacts)
    names = [name for name, _ in resources(artefacts, "AWS::EC2::Subnet") if "secondary" in name]
    if one is None or not names:
        return False
    one["SubnetIds"] = [{"Ref": names[0]}]
    return True


def lustre_client(artefacts: EditableArtefacts, system: str) -> bool:
    return bool(artefacts.wanted.file_systems) and _set(artefacts, "LUSTRE_EFA_INTERFACES", "p3dn.24xlarge=1")


def lustre_over_tcp(artefacts: EditableArtefacts, system: str) -> bool:
    found = _entry(artefacts)
    if found is None or not artefacts.wanted.file_systems:
        return False
    files, _ = found
    files["settings.env"] = files["settings.env"].replace(" efa ", " tcp ")
    return True


def mounted_too_early(artefacts: EditableArtefacts, system: str) -> bool:
    found = _entry(artefacts)
    if found is None or not artefacts.wanted.file_systems or artefacts.wanted.scheduler is not None:
        return False
    files, name = found
    text = files[name].replace("step configure_lnet\n", "")
    files[name] = text.replace("check_storage", "step configure_lnet\ncheck_storage")
    return True


def lustre_permission(artefacts: EditableArtefacts, system: str) -> bool:
    if _lustre(artefacts) is None or not is_hyperpod(artefacts) or not artefacts.wanted.groups:
        return False
    changed = False
    for role in properties(artefacts, "AWS::IAM::Role"):
        for policy in role.get("Policies", ()):
            statements = policy["PolicyDocument"]["Statement"]
            kept = [one for one in statements if "fsx:DescribeFileSystems" not in one["Action"]]
            changed |= len(kept) < len(statements)
            policy["PolicyDocument"]["Statement"] = kept
    return changed


def lustre_check(artefacts: EditableArtefacts, system: str) -> bool:
    found = _entry(artefacts)
    if found is None or not artefacts.wanted.file_systems or not artefacts.wanted.groups:
        return False
    files, name = found
    start = "step install_units" if artefacts.wanted.scheduler else "check_storage"
    files[name] = "\n".join(line for line in files[name].splitlines() if not line.startswith(start)) + "\n"
    return True


OF_GROUPS: dict[str, Break] = {
    "instance-type": instance_type,
    "launch-template": launch_template,
    "capacity": capacity,
    "placement-group": placement_group,
    "image": image,
    "node-scripts": node_scripts,
    "network-cards": network_cards,
    "interface-types": interface_types,
    "device-indexes": device_indexes,
    "security-group": security_group,
    "self-ingress": self_ingress,
    "self-egress": self_egress,
    "rules-before-nodes": rules_before_nodes,
    "one-subnet": one_subnet,
    "private-addresses": private_addresses,
    "device-owner": device_owner,
    "device-owner-types": device_owner_types,
    "device-owner-nodes": device_owner_nodes,
    "device-owner-tolerations": device_owner_tolerations,
    "one-owner": one_owner,
    "gpu-plugin": gpu_plugin,
    "job-request": job_request,
    "huge-pages": huge_pages,
    "gpudirect": gpudirect,
    "job-nodes": job_nodes,
    "queue": queue,
    "memlock": memlock,
    "environment": environment,
    "nvlink-domain": nvlink_domain,
    "start-check": start_check,
    "device-check": device_check,
}
"""One way for each link of a group; any of them can stand beside any other."""

OF_FILE_SYSTEMS: dict[str, Break] = {
    "lustre-efa": lustre_efa,
    "lustre-self": lustre_self,
    "lustre-from-nodes": lustre_from_nodes,
    "lustre-to-nodes": lustre_to_nodes,
    "lustre-rules-before": lustre_rules_before,
    "lustre-zone": lustre_zone,
    "lustre-client": lustre_client,
    "lustre-permission": lustre_permission,
    "lustre-check": lustre_check,
}

OTHER_WAYS: dict[str, tuple[str, Break]] = {
    "an interface of HyperPod without EFA": ("interface-types", interface_of_hyperpod),
    "an interface less": ("network-cards", an_interface_less),
    "another group on one interface": ("security-group", another_group_on_one_interface),
    "a way out by address alone": ("self-egress", egress_by_address),
    "a subnet in another zone": ("one-subnet", another_zone),
    "no plugin": ("device-owner", no_device_owner),
    "HyperPod's own plugin": ("one-owner", hyperpods_own_plugin),
    "a variable of a job": ("environment", variable_of_a_job),
    "no metadata configuration": ("lustre-efa", no_metadata),
    "a file system that nodes reach over TCP": ("lustre-client", lustre_over_tcp),
    "LNet after the mount": ("lustre-client", mounted_too_early),
}
"""Further ways to break a link."""

ALL: dict[str, tuple[str, Break]] = {
    **{name: (name, way) for name, way in (OF_GROUPS | OF_FILE_SYSTEMS).items()},
    **OTHER_WAYS,
}


def subject_of(artefacts: EditableArtefacts, link: str) -> str | None:
    """Whose link it is: the first group's, or the file system's."""
    if link.startswith("lustre-"):
        return artefacts.wanted.file_systems[0].name if artefacts.wanted.file_systems else None
    return artefacts.wanted.groups[0].name if artefacts.wanted.groups else None
