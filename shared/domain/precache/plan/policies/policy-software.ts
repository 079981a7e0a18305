import { fieldIssue, type Issue } from "../../../issues/issue.ts";
import { isRecord, type UnknownRecord } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { hasTemplate, placeholder, policyObjects } from "./policy-objects.ts";

/** The operators that policies install: index images, and `package:channel`. */
export type PolicySoftware = Readonly<{
  operatorsIndexes: readonly string[];
  operatorsPackagesAndChannels: readonly string[];
  /** Issues about fields that a CatalogSource, or a Subscription, lacks. */
  indexIssues: readonly Issue[];
  packageIssues: readonly Issue[];
}>;

/** Formats a value like Go's `%s`. */
function goText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return `%!s(${Number.isSafeInteger(value) ? "int64" : "float64"}=${value})`;
  return typeof value === "boolean" ? `%!s(bool=${value})` : "%!s(<nil>)";
}

function isOperatorKind({ kind, apiVersion }: UnknownRecord, wanted: string): boolean {
  return (
    kind === wanted && (apiVersion === undefined || /^operators\.coreos\.com\//.test(String(apiVersion)))
  );
}

function softwareLikeTalm(objects: readonly UnknownRecord[]): PolicySoftware {
  const of = (kind: string) =>
    objects.filter((object) => object.kind === kind).map(({ spec }) => (isRecord(spec) ? spec : {}));
  return {
    operatorsIndexes: of("CatalogSource").map(({ image }) => goText(image)),
    operatorsPackagesAndChannels: of("Subscription").map(
      ({ name, channel }) => `${goText(name)}:${goText(channel)}`,
    ),
    indexIssues: [],
    packageIssues: [],
  };
}

function isUsable(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes(placeholder) && !hasTemplate(value);
}

function unusable(
  policy: KubernetesObject,
  { kind, metadata }: UnknownRecord,
  field: string,
  value: unknown,
): Issue {
  const name = isRecord(metadata) ? String(metadata.name ?? "") : "";
  const isTemplate = typeof value === "string" && value !== "";
  const path = `spec.policy-templates: ${String(kind)}${name ? `/${name}` : ""} spec.${field}`;
  return fieldIssue(policy, path, value, {
    code: isTemplate ? "TemplatedField" : "FieldMissing",
    severity: "warning",
    message: isTemplate
      ? "The value is a template, which only the cluster's own policy resolves; nothing is pre-cached for it."
      : "The field is missing or not a string; nothing is pre-cached for this object.",
    remedy: "Write the value into the policy, or name it in the overrides of a PreCachingConfig.",
  });
}

function softwareOf(policy: KubernetesObject, objects: readonly UnknownRecord[]): PolicySoftware {
  const indexIssues: Issue[] = [];
  const packageIssues: Issue[] = [];
  const operatorsIndexes: string[] = [];
  const operatorsPackagesAndChannels: string[] = [];
  for (const object of objects) {
    const { name, channel, image } = isRecord(object.spec) ? object.spec : {};
    if (isOperatorKind(object, "CatalogSource")) {
      if (isUsable(image)) operatorsIndexes.push(image);
      else indexIssues.push(unusable(policy, object, "image", image));
    }
    if (isOperatorKind(object, "Subscription")) {
      if (!isUsable(name)) packageIssues.push(unusable(policy, object, "name", name));
      else if (!isUsable(channel)) packageIssues.push(unusable(policy, object, "channel", channel));
      else operatorsPackagesAndChannels.push(`${name}:${channel}`);
    }
  }
  return { operatorsIndexes, operatorsPackagesAndChannels, indexIssues, packageIssues };
}

/**
 * Collects the operators of policies in order. Each counts once, and only kinds of operators.coreos.com do; with
 * `talm` every repetition and every kind with that name counts, and a missing field is formatted as Go does.
 */
export function policySoftware(policies: readonly KubernetesObject[], compat?: "talm"): PolicySoftware {
  const found = policies.map((policy) => {
    const read = policyObjects(policy.spec);
    const objects = read.ok ? read.objects : [];
    return compat === "talm" ? softwareLikeTalm(objects) : softwareOf(policy, objects);
  });
  const indexes = found.flatMap(({ operatorsIndexes }) => operatorsIndexes);
  const packages = found.flatMap(({ operatorsPackagesAndChannels }) => operatorsPackagesAndChannels);
  return {
    operatorsIndexes: compat === "talm" ? indexes : [...new Set(indexes)],
    operatorsPackagesAndChannels: compat === "talm" ? packages : [...new Set(packages)],
    indexIssues: found.flatMap(({ indexIssues }) => indexIssues),
    packageIssues: found.flatMap(({ packageIssues }) => packageIssues),
  };
}
