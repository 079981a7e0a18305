import { isNested } from "#shared/domain/images/scope.ts";
import { fieldIssue, fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isRecord, someOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import { repositoriesOf } from "#shared/domain/mirrors/input/release-image.ts";
import { type MirrorRule, ruleIssue } from "#shared/domain/mirrors/input/rules.ts";
import { isSignatureConfigMap, signatureNamespace } from "#shared/domain/ready/release-signatures.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type ImportedObject, isOfOcMirror } from "./compare.ts";

const rulesOf = (objects: readonly KubernetesObject[]): readonly MirrorRule[] =>
  readMirrorObjects(objects).rules;

const nameOf = ({ origin }: MirrorRule): string => displayName(referenceTo(origin.object));

/** Sets for a release do not count: its images are pulled by digest. */
const isOnPurpose = ({ origin: { object } }: MirrorRule): boolean =>
  isOfOcMirror(object) && !object.metadata.name.includes("-release-");

/**
 * An image in both kinds of sets: every later change of its source drains the nodes, even a change of digest mirrors only.
 * oc-mirror does that on purpose for images that it mirrors by tag and digest (OCPBUGS-85331).
 */
function digestAndTag(made: readonly KubernetesObject[]): readonly Issue[] {
  const rules = rulesOf(made);
  return rules
    .filter(({ pullKind }) => pullKind === "tag")
    .flatMap((rule) => {
      const twin = rules.find(
        ({ pullKind, source, mirrors }) =>
          pullKind === "digest" &&
          source === rule.source &&
          mirrors.some((mirror) => rule.mirrors.includes(mirror)),
      );
      if (!twin || [rule, twin].every(isOnPurpose)) return [];
      return [
        ruleIssue(rule, "source", rule.source, {
          code: "MirroredByDigestAndTag",
          severity: "warning",
          message: sentence`${nameOf(twin)} has the same mirror for digests, so that every later change of this source drains the nodes`,
          remedy: "Remove the rule for tags if nothing is pulled by tag: releases are pulled by digest.",
        }),
      ];
    });
}

/** Rules of an earlier run that nodes prefer to this run's, or that add mirrors to them. */
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

function catalogImage({ spec }: KubernetesObject): Readonly<{ path: string; image: string }> | undefined {
  if (!isRecord(spec)) return undefined;
  const source = fieldsOf(spec.source);
  const image = fieldsOf(source.image).ref;
  if (typeof spec.image === "string") return { path: "spec.image", image: spec.image };
  return typeof image === "string" ? { path: "spec.source.image.ref", image } : undefined;
}

function ofCatalog(object: KubernetesObject): readonly Issue[] {
  const { name } = object.metadata;
  const found = catalogImage(object);
  return [
    ...(name.length > maxLabel
      ? [
          fieldIssue(object, "metadata.name", name, {
            code: "CatalogNameTooLong",
            message: sentence`The name has ${name.length} characters, and ${labelOf(object)} takes at most ${maxLabel}`,
            remedy: "Give the catalog a shorter targetCatalog or targetTag in the ImageSetConfiguration.",
          }),
        ]
      : []),
    ...(found && !found.image.includes("@")
      ? [
          fieldWarning(object, found.path, found.image, {
            code: "MirroredCatalogByTag",
            message:
              "The catalog is named by its tag: what a later run pushes there is used when its pod next starts",
            remedy:
              "Name it by digest in the ImageSetConfiguration, or add an updateStrategy with registryPoll.",
          }),
        ]
      : []),
  ];
}

/** Returns a warning if neither the objects nor the hub have signatures for mirrored releases. */
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
  return [...digestAndTag(made), ...shadowing(compared), ...catalogs.flatMap(ofCatalog)];
}
