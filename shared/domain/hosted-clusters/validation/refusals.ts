import { knownFields } from "../../issues/field.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { fieldsOf, isSameJson, listOf, ownValue } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { hostedClusterSpec } from "../cluster/hosted-cluster-spec.ts";
import { nodePoolSpec } from "../nodes/node-pool.ts";

// The rules of HyperShift's CRD (v0.1.81, hostedclusters-Hypershift-Default), with the messages of the API server.

const clusterFields = knownFields(hostedClusterSpec.definition, "spec");
const poolFields = knownFields(nodePoolSpec.definition, "spec");

/** Remedies for fields that the enhancement “Disable the Image Registry via Capability” names differently. */
const renamed = {
  "spec.capabilities.disabledCapabilities": "The field is called spec.capabilities.disabled.",
  "spec.capabilities.enabledCapabilities": "The field is called spec.capabilities.enabled.",
};

/** Returns an issue for each unknown field of a HostedCluster or NodePool. */
export function unknownHostedFields(object: KubernetesObject): readonly Issue[] {
  if (isKind(kinds.NodePool, object)) return unknownFields(object, poolFields);
  if (!isKind(kinds.HostedCluster, object)) return [];
  return unknownFields(object, clusterFields, renamed).map((issue) =>
    Object.hasOwn(renamed, issue.path) ? { ...issue, severity: "error" } : issue,
  );
}

const capabilitiesOf = (object: KubernetesObject) => fieldsOf(fieldsOf(object.spec).capabilities);

function capabilityRules(object: KubernetesObject): readonly Issue[] {
  const { enabled, disabled } = capabilitiesOf(object);
  const off = listOf(disabled);
  const issues: Issue[] = [];
  if (off.includes("Ingress") && !off.includes("Console"))
    issues.push(
      fieldIssue(object, "spec.capabilities.disabled", disabled, {
        code: "InvalidValue",
        message:
          "Invalid value: Ingress capability can only be disabled if Console capability is also disabled",
        remedy: "Disable Console as well, or keep Ingress.",
      }),
    );
  if (listOf(enabled).some((name) => off.includes(name)))
    issues.push(
      fieldIssue(object, "spec.capabilities", capabilitiesOf(object), {
        code: "InvalidValue",
        message: "Invalid value: Capabilities can not be both enabled and disabled at once.",
        remedy: "Name each capability in one of the lists.",
      }),
    );
  return issues;
}

/** The times that the CRD accepts: any text may follow the seconds. */
const timeLike = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[^\n]*$/;

function pauseRule(object: KubernetesObject): readonly Issue[] {
  const { pausedUntil } = fieldsOf(object.spec);
  if (typeof pausedUntil !== "string" || timeLike.test(pausedUntil)) return [];
  if (["true", "false", "True", "False"].includes(pausedUntil)) return [];
  return [
    fieldIssue(object, "spec.pausedUntil", pausedUntil, {
      code: "InvalidValue",
      message: sentence`Invalid value: ${goQuote(pausedUntil)}: PausedUntil must be a date in RFC3339 format or 'True', 'true', 'False' or 'false'`,
      remedy: 'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
    }),
  ];
}

function repeatedMirrors(object: KubernetesObject): readonly Issue[] {
  return listOf(fieldsOf(object.spec).imageContentSources).flatMap((entry, index) =>
    listOf(fieldsOf(entry).mirrors).flatMap((mirror, at, all): Issue[] =>
      typeof mirror !== "string" || all.indexOf(mirror) === at
        ? []
        : [
            fieldIssue(object, `spec.imageContentSources[${index}].mirrors[${at}]`, mirror, {
              code: "DuplicateValue",
              message: sentence`Duplicate value: ${goQuote(mirror)}`,
              remedy: "List it once.",
            }),
          ],
    ),
  );
}

const disruptive = "Changes might result in unpredictable and disruptive behavior.";
const asCreated =
  "Create a new HostedCluster for other capabilities: those of a running one are immutable, including their order.";

/** Returns an issue for each immutable field that changes. A missing field counts as its default. */
function immutableFields(object: KubernetesObject, stored: KubernetesObject): readonly Issue[] {
  const immutable = (path: string, value: unknown, message: string, remedy: string) =>
    fieldIssue(object, path, value, {
      code: "ImmutableField",
      message: sentence`Invalid value: ${message}`,
      remedy,
    });
  const [now, before] = [capabilitiesOf(object), capabilitiesOf(stored)];
  const changed = ["enabled", "disabled"].flatMap((list) => {
    const [value, old] = [ownValue(now, list) ?? null, ownValue(before, list) ?? null];
    return isSameJson(value, old) ? [] : [{ list, value, isInBoth: value !== null && old !== null }];
  });
  const issues =
    changed.length === 0
      ? []
      : [
          immutable(
            "spec.capabilities",
            fieldsOf(object.spec).capabilities,
            `Capabilities is immutable. ${disruptive}`,
            asCreated,
          ),
        ];
  for (const { list, value, isInBoth } of changed) {
    const name = list === "enabled" ? "Enabled" : "Disabled";
    if (isInBoth)
      issues.push(
        immutable(`spec.capabilities.${list}`, value, `${name} is immutable. ${disruptive}`, asCreated),
      );
  }
  const placementOf = ({ spec }: KubernetesObject) => fieldsOf(spec).olmCatalogPlacement ?? "management";
  const placement = placementOf(object);
  if (typeof placement === "string" && placement !== placementOf(stored))
    issues.push(
      immutable(
        "spec.olmCatalogPlacement",
        placement,
        sentence`${goQuote(placement)}: OLMCatalogPlacement is immutable`,
        "Keep what the cluster was created with.",
      ),
    );
  return issues;
}

/**
 * Returns an issue for each value that an API server refuses when it creates a HostedCluster or replaces `stored`.
 * `readHostedCluster` reports values of the wrong type.
 */
export function refusedValues(object: KubernetesObject, stored?: KubernetesObject): readonly Issue[] {
  const issues = [
    ...unknownHostedFields(object).filter(({ severity }) => severity === "error"),
    ...(stored ? immutableFields(object, stored) : []),
    ...capabilityRules(object),
    ...pauseRule(object),
    ...repeatedMirrors(object),
  ];
  if (!stored) return issues;
  const [now, before] = [fieldsOf(object.spec), fieldsOf(stored.spec)];
  // The API server accepts an invalid value that is already stored.
  return issues.filter(({ path }) => {
    const [, field = ""] = path.split(/[.[]/);
    return !isSameJson(ownValue(now, field), ownValue(before, field));
  });
}
