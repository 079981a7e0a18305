import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { isDnsSubdomain } from "../../issues/object-name.ts";
import { fieldsOf, isRecord, type UnknownRecord } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { choosesOnCluster, isUsable, objectsIn } from "./policy-objects.ts";

/** Reports whether the deployment allows an index image. */
export type IsAllowed = (index: string) => boolean;

/** The operators that policies install. A package is `package:channel` or `package:channel:startingCSV`. */
export type PolicySoftware = Readonly<{
  operatorsIndexes: readonly string[];
  operatorsPackagesAndChannels: readonly string[];
  /** All packages except those that `unmanagedIssues` warns about: the policies lack their CatalogSource. */
  managedPackages: readonly string[];
  unmanagedIssues: readonly Issue[];
  indexIssues: readonly Issue[];
  packageIssues: readonly Issue[];
}>;

/** Reports whether an object of a policy is of this kind of the Operator Lifecycle Manager. */
export function isOperatorKind({ kind, apiVersion }: UnknownRecord, wanted: string): boolean {
  return (
    kind === wanted && (apiVersion === undefined || /^operators\.coreos\.com\//.test(String(apiVersion)))
  );
}

function unusable(policy: KubernetesObject, path: string, value: unknown): Issue {
  const isTemplate = typeof value === "string" && value !== "";
  return fieldWarning(policy, path, value, {
    code: isTemplate ? "TemplatedField" : "FieldMissing",
    message: isTemplate
      ? "The value is a template, which only the cluster's own policy resolves; nothing is pre-cached for it."
      : "The field is missing or not a string; nothing is pre-cached for this object.",
    remedy: "Write the value into the policy, or name it in the overrides of a PreCachingConfig.",
  });
}

function notAllowed(policy: KubernetesObject, path: string, image: string): Issue {
  return fieldWarning(policy, path, image, {
    code: "IndexNotAllowed",
    message:
      "In the profile hardened the deployment names the repositories of index images, and not this one; nothing is pre-cached for this object.",
    remedy:
      "Add the repository to HUBRELAY_INDEX_REPOSITORIES of the functions and of the admission policy hubrelay-precache-image.",
  });
}

function unmanaged(policy: KubernetesObject, path: string, source: string): Issue {
  return fieldWarning(policy, path, source, {
    code: "CatalogNotManaged",
    message:
      "No managed policy has a CatalogSource of this name with an image; nothing is pre-cached for this object.",
    remedy: "Manage a policy with the CatalogSource, or name index and packages in a PreCachingConfig.",
  });
}

function chosenOnCluster(policy: KubernetesObject, indexes: readonly string[]): readonly Issue[] {
  if (indexes.length === 0 || !choosesOnCluster(policy.spec)) return [];
  return [
    fieldWarning(policy, "spec.policy-templates", indexes, {
      code: "CatalogChosenOnCluster",
      message: sentence`A raw template chooses on the cluster between objects, CatalogSources among them. Every cluster pulls all of them: ${indexes.join(", ")}.`,
      remedy: "Use a policy for each choice, or name the index image in the overrides of a PreCachingConfig.",
    }),
  ];
}

function catalogsOf(
  policies: readonly KubernetesObject[],
  isAllowed: IsAllowed,
): ReadonlySet<unknown> | undefined {
  const names = objectsIn(policies)
    .filter(({ object }) => isOperatorKind(object, "CatalogSource"))
    .filter(({ object: { spec } }) => isRecord(spec) && isUsable(spec.image) && isAllowed(spec.image))
    .map(({ object }) => fieldsOf(object.metadata).name);
  return names.length > 0 && names.every(isUsable) ? new Set(names) : undefined;
}

function softwareOf(
  policy: KubernetesObject,
  catalogs: ReadonlySet<unknown> | undefined,
  isAllowed: IsAllowed,
): PolicySoftware {
  const indexIssues: Issue[] = [];
  const packageIssues: Issue[] = [];
  const operatorsIndexes: string[] = [];
  const operatorsPackagesAndChannels: string[] = [];
  const managedPackages: string[] = [];
  const unmanagedIssues: Issue[] = [];
  for (const { object, specPath } of objectsIn([policy])) {
    const { name, channel, image, source, startingCSV } = fieldsOf(object.spec);
    if (isOperatorKind(object, "CatalogSource")) {
      if (!isUsable(image)) indexIssues.push(unusable(policy, `${specPath}.image`, image));
      else if (!isAllowed(image)) indexIssues.push(notAllowed(policy, `${specPath}.image`, image));
      else operatorsIndexes.push(image);
    }
    if (isOperatorKind(object, "Subscription")) {
      if (!isUsable(name)) packageIssues.push(unusable(policy, `${specPath}.name`, name));
      else if (!isUsable(channel)) packageIssues.push(unusable(policy, `${specPath}.channel`, channel));
      else {
        const isPinned = isUsable(startingCSV) && isDnsSubdomain(startingCSV);
        const entry = `${name}:${channel}${isPinned ? `:${startingCSV}` : ""}`;
        operatorsPackagesAndChannels.push(entry);
        if (catalogs && isUsable(source) && !catalogs.has(source))
          unmanagedIssues.push(unmanaged(policy, `${specPath}.source`, source));
        else managedPackages.push(entry);
      }
    }
  }
  return {
    operatorsIndexes,
    operatorsPackagesAndChannels,
    managedPackages,
    unmanagedIssues,
    indexIssues: [...indexIssues, ...chosenOnCluster(policy, operatorsIndexes)],
    packageIssues,
  };
}

/** Returns the operators that policies install, in order and without duplicates. */
export function policySoftware(
  policies: readonly KubernetesObject[],
  isAllowed: IsAllowed = () => true,
): PolicySoftware {
  const catalogs = catalogsOf(policies, isAllowed);
  const found = policies.map((policy) => softwareOf(policy, catalogs, isAllowed));
  const texts = (field: "operatorsIndexes" | "operatorsPackagesAndChannels" | "managedPackages") => [
    ...new Set(found.flatMap((software) => software[field])),
  ];
  const issues = (field: "unmanagedIssues" | "indexIssues" | "packageIssues") =>
    found.flatMap((software) => software[field]);
  return {
    operatorsIndexes: texts("operatorsIndexes"),
    operatorsPackagesAndChannels: texts("operatorsPackagesAndChannels"),
    managedPackages: texts("managedPackages"),
    unmanagedIssues: issues("unmanagedIssues"),
    indexIssues: issues("indexIssues"),
    packageIssues: issues("packageIssues"),
  };
}
