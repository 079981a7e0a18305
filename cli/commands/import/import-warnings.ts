import { isNested } from "#shared/domain/images/scope.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import { repositoriesOf } from "#shared/domain/mirrors/input/release-repositories.ts";
import { type MirrorRule, ruleIssue } from "#shared/domain/mirrors/input/rules.ts";
import { isSignatureConfigMap, signatureNamespace } from "#shared/domain/ready/release-signatures.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { ImportedObject } from "./compare.ts";

const rulesOf = (objects: readonly KubernetesObject[]): readonly MirrorRule[] =>
  readMirrorObjects(objects).rules;

const nameOf = ({ origin }: MirrorRule): string => displayName(referenceTo(origin.object));

/** Returns warnings about rules of earlier runs that nodes use in addition to, or instead of, rules of this run. */
function shadowing(compared: readonly ImportedObject[]): readonly Issue[] {
  const objectsOf = (isStale: boolean) =>
    compared.filter(({ change }) => (change === "stale") === isStale).map(({ object }) => object);
  const fresh = rulesOf(objectsOf(false));
  return rulesOf(objectsOf(true)).flatMap((old) => {
    const hidden = fresh.filter(
      ({ source, pullKind, mirrors }) =>
        (pullKind === old.pullKind || old.pullKind === "any") &&
        isNested(old.source, source) &&
        old.mirrors.some((mirror) => !mirrors.includes(mirror)),
    );
    if (hidden.length === 0) return [];
    return [
      ruleIssue(old, "source", old.source, {
        code: "StaleMirrorSet",
        severity: "warning",
        message: sentence`An earlier run of oc-mirror left this rule, whose mirrors nodes still use beside or instead of those of ${someOf([...new Set(hidden.map(nameOf))])}`,
        remedy: "Delete the object once nothing needs its mirrors; that drains the nodes.",
      }),
    ];
  });
}

const maxLabel = 63;

const labelOf = (catalog: KubernetesObject): string =>
  isKind(kinds.CatalogSource, catalog)
    ? "the label of the catalog's pod"
    : "the label that OLM gives the catalog";

function tooLongName(object: KubernetesObject): readonly Issue[] {
  const { name } = object.metadata;
  if (name.length <= maxLabel) return [];
  return [
    fieldIssue(object, "metadata.name", name, {
      code: "CatalogNameTooLong",
      message: sentence`The name has ${name.length} characters, and ${labelOf(object)} takes at most ${maxLabel}`,
      remedy: "Give the catalog a shorter targetCatalog or targetTag in the ImageSetConfiguration.",
    }),
  ];
}

/** Returns a warning if releases are mirrored, but neither the objects nor the hub have the releases' signatures. */
export function unsignedReleases(
  made: readonly KubernetesObject[],
  hub: readonly KubernetesObject[],
): readonly Issue[] {
  if ([...made, ...hub].some(isSignatureConfigMap)) return [];
  const rule = rulesOf(made).find(({ source }) => repositoriesOf(undefined).includes(source));
  if (!rule) return [];
  return [
    ruleIssue(rule, "source", rule.source, {
      code: "ReleaseNotSigned",
      severity: "warning",
      message: sentence`Releases are mirrored, and no ConfigMap in ${signatureNamespace} has a signature, so that a cluster without access to the internet refuses the update`,
      remedy: "Apply the signature-configmap.yaml that oc-mirror writes beside these objects.",
    }),
  ];
}

/** Returns warnings about surprising effects of valid oc-mirror output. */
export function importTraps(compared: readonly ImportedObject[]): readonly Issue[] {
  const made = compared.filter(({ change }) => change !== "stale").map(({ object }) => object);
  const catalogs = made.filter((object) =>
    [kinds.CatalogSource, kinds.ClusterCatalog].some((kind) => isKind(kind, object)),
  );
  return [...shadowing(compared), ...catalogs.flatMap(tooLongName)];
}
