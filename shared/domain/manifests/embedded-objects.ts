import type { UnreadReason } from "../issues/coverage.ts";
import { fieldsOf, isRecord, listOf, ownValue, textOf } from "../kubernetes/json/values.ts";
import { isKind, type Kind, type KubernetesObject, kinds, namespacedKind } from "../kubernetes/object.ts";
import type { YamlPath } from "./yaml-document.ts";

/** Fields below `from` in a derived object are below `to` in the document. Messages write `name` instead of `from`. */
export type MovedFields = Readonly<{ from: string; to: YamlPath; name: string }>;

type LeftOut = Readonly<{ leftOut: UnreadReason }>;

/** Content that is embedded at a path of another object or of a file. */
export type EmbeddedValue = Readonly<{ path: YamlPath }> &
  (
    | Readonly<{ value: unknown; moved?: MovedFields }>
    /** A text of manifests. If `holdsTemplates` is true, it is a list whose items have `objectDefinition`. */
    | Readonly<{ text: string; holdsTemplates: boolean }>
    | Readonly<{ registriesConf: string }>
  );

const policyGroup = "policy.open-cluster-management.io/v1";
const ConfigurationPolicy: Kind = namespacedKind(policyGroup, "ConfigurationPolicy");

const namesMirrorKind =
  /\bkind["']?\s*:\s*["']?(?:Image(?:\w*(?:Mirror|Source|Polic)\w*)?|ClusterImagePolicy|MachineConfig)\b/;

/** Reports whether a value is or contains an object that decides where nodes pull images from. */
export const decidesPulls = (value: unknown): boolean =>
  namesMirrorKind.test(typeof value === "string" ? value : JSON.stringify(value ?? null));

const leavesOut = (value: unknown, leftOut: UnreadReason): readonly LeftOut[] =>
  decidesPulls(value) ? [{ leftOut }] : [];

const itemsAt = (value: unknown, ...path: readonly string[]): readonly unknown[] =>
  listOf(path.reduce<unknown>((inner, step) => ownValue(fieldsOf(inner), step), value));

/** Hubs compare actions without regard to case. */
const isEnforce = (action: unknown): boolean => textOf(action)?.toLowerCase() === "enforce";

/** Reports whether the remediation action of a policy is `enforce`. */
export const isEnforced = ({ spec }: KubernetesObject): boolean =>
  isEnforce(fieldsOf(spec).remediationAction);

/** Reports whether a policy is disabled. ACM removes a disabled policy from its clusters. */
export const isDisabled = ({ spec }: KubernetesObject): boolean => fieldsOf(spec).disabled === true;

/** Reports whether an object is an enabled policy that does not itself enforce its contents; another object may. */
export const isInforming = (object: KubernetesObject): boolean =>
  isKind(kinds.Policy, object) && !isDisabled(object) && !isEnforced(object);

/** Reports whether an action is `InformOnly`, which in a ConfigurationPolicy overrides the Policy around it. */
const isInformOnly = (action: unknown): boolean => textOf(action)?.toLowerCase() === "informonly";

/** Reports whether an item of `object-templates` requires that its object exists on a cluster. */
export const isWanted = (template: unknown): boolean =>
  /^must(?:only)?have$/i.test(textOf(fieldsOf(template).complianceType) ?? "");

const hasTemplate = (value: unknown): boolean => JSON.stringify(value ?? null).includes("{{");

type Embedded = readonly (EmbeddedValue | LeftOut)[];

function ofConfigurationPolicy(policy: unknown, path: YamlPath, action?: unknown): Embedded {
  const spec = fieldsOf(fieldsOf(policy).spec);
  const own = spec.remediationAction;
  if (isInformOnly(own) || !isEnforce(action ?? own)) return leavesOut(spec, "not-enforced");
  const text = textOf(spec["object-templates-raw"]);
  const rawPath = [...path, "spec", "object-templates-raw"];
  const ofRaw: Embedded = text?.includes("{{")
    ? leavesOut(text, "template")
    : text
      ? [{ path: rawPath, text, holdsTemplates: true }]
      : [];
  const templates = itemsAt(spec, "object-templates").flatMap((template, index): Embedded => {
    const value = fieldsOf(template).objectDefinition;
    if (!isWanted(template) || !isRecord(value)) return leavesOut(value, "not-enforced");
    if (hasTemplate(value)) return leavesOut(value, "template");
    return [{ path: [...path, "spec", "object-templates", index, "objectDefinition"], value }];
  });
  return [...templates, ...ofRaw];
}

function ofPolicy(policy: KubernetesObject, isEnforcedByOther: boolean): Embedded {
  const spec = fieldsOf(policy.spec);
  if (isDisabled(policy)) return leavesOut(spec, "not-enforced");
  const action = isEnforcedByOther ? "enforce" : spec.remediationAction;
  return itemsAt(spec, "policy-templates").flatMap((template, index) => {
    const { objectDefinition } = fieldsOf(template);
    if (fieldsOf(objectDefinition).kind !== ConfigurationPolicy.kind)
      return leavesOut(objectDefinition, "kind");
    const path = ["spec", "policy-templates", index, "objectDefinition"];
    return ofConfigurationPolicy(objectDefinition, path, action);
  });
}

const manifestsAt = (object: KubernetesObject, ...path: readonly string[]): readonly EmbeddedValue[] =>
  itemsAt(object, ...path).flatMap((value, index) =>
    isRecord(value) ? [{ path: [...path, index], value }] : [],
  );

/** The key of a ConfigMap from which assisted-service reads the mirrors of new clusters. */
const mirrorRegistryKey = "registries.conf";
const namesRegistry = /^[ \t]*(?:\[\[[ \t]*registry[ \t]*\]\]|registry[ \t]*=)/m;

function ofConfigMap(object: KubernetesObject): Embedded {
  return Object.entries(fieldsOf(ownValue(object, "data"))).flatMap(([key, text]): Embedded => {
    if (key === mirrorRegistryKey && typeof text === "string" && namesRegistry.test(text))
      return [{ path: ["data", key], registriesConf: text }];
    // A script may contain manifests, but nothing applies the script as a manifest.
    const isManifest = /^[^.]*$|\.(?:ya?ml|json)$/.test(key);
    if (!isManifest || typeof text !== "string" || !namesMirrorKind.test(text)) return [];
    if (text.includes("{{")) return leavesOut(text, "template");
    return [{ path: ["data", key], text, holdsTemplates: false }];
  });
}

/** Returns the Image that HyperShift makes from a HostedCluster's `spec.configuration.image`, if that is set. */
export function imageOfHostedCluster({ spec }: KubernetesObject): KubernetesObject | undefined {
  const { image } = fieldsOf(fieldsOf(spec).configuration);
  const { apiVersion, kind } = kinds.Image;
  return isRecord(image) ? { apiVersion, kind, metadata: { name: "cluster" }, spec: image } : undefined;
}

function ofHostedCluster(object: KubernetesObject): readonly EmbeddedValue[] {
  const value = imageOfHostedCluster(object);
  const moved = { from: "spec.", to: [], name: "spec.configuration.image." };
  return value ? [{ path: ["spec", "configuration", "image"], value, moved }] : [];
}

const readers: readonly (readonly [Kind, (object: KubernetesObject, isEnforced: boolean) => Embedded])[] = [
  [kinds.Policy, ofPolicy],
  [ConfigurationPolicy, (object) => ofConfigurationPolicy(object, [])],
  [kinds.ManifestWork, (object) => manifestsAt(object, "spec", "workload", "manifests")],
  [
    kinds.ManifestWorkReplicaSet,
    (object) => manifestsAt(object, "spec", "manifestWorkTemplate", "workload", "manifests"),
  ],
  [kinds.ConfigMap, ofConfigMap],
  [kinds.HostedCluster, ofHostedCluster],
];

/** Returns the parts that a cluster gets as separate objects. `leftOut` says why other parts are not read. */
export function embeddedIn(
  object: KubernetesObject,
  isEnforced = false,
): Readonly<{ values: readonly EmbeddedValue[]; leftOut: readonly UnreadReason[] }> {
  const all = readers.flatMap(([kind, read]) => (isKind(kind, object) ? read(object, isEnforced) : []));
  return {
    values: all.flatMap((one) => ("leftOut" in one ? [] : [one])),
    leftOut: all.flatMap((one) => ("leftOut" in one ? [one.leftOut] : [])),
  };
}
