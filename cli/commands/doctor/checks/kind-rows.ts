import { allWatches } from "#functions/watches.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { groupOf } from "#shared/domain/kubernetes/access.ts";
import { fieldsOf, isRecord, ownValue, someOf } from "#shared/domain/kubernetes/json/values.ts";
import { type Kind, kinds, namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { note, ok, problem, type Verdict } from "./check.ts";

/** The minimum versions that hubrelay needs, as in docs/deploy-kubernetes.md. */
export const minimumVersions = {
  /** The first version with ValidatingAdmissionPolicies v1. */
  kubernetes: "1.30",
  /** The release with Kubernetes 1.30 is OpenShift 4.17. */
  openShift: "4.17",
  /** The first version whose fallback can keep the number of pods. */
  keda: "2.17",
  /** Version of the module open-cluster-management.io/api with feedback, conditions and deletion of ManifestWorks. */
  ocm: "1.0.0",
} as const;

const minorOf = (version: string) => Number(/^v?1\.(\d+)/.exec(version)?.[1]);

/** Judges whether the hub's Kubernetes has the admission policies that restrict hubrelay's accounts. */
export function kubernetesVerdict(version: string, connected: string): Verdict {
  const { kubernetes, openShift } = minimumVersions;
  return minorOf(version) < minorOf(kubernetes)
    ? problem(
        connected,
        `Update the hub: hubrelay's admission policies need Kubernetes ${kubernetes}, which is OpenShift ${openShift}.`,
      )
    : ok(connected);
}

/** The kinds that a function uses, grouped by the consequence of a missing one. */
export type NeededKinds = Readonly<{
  name: string;
  /** Kinds that the function reconciles; a hub may serve only some of them. */
  kinds: readonly Kind[];
  /** Kinds without which the function cannot work. */
  required?: readonly Kind[];
  /** Kinds that the function needs as soon as the hub serves those that it reconciles. */
  besides?: readonly Kind[];
}>;

const required: Readonly<Record<string, readonly Kind[]>> = {
  "mirror-config": [kinds.Image, kinds.ClusterVersion, kinds.MachineConfigPool, kinds.MachineConfig],
};
const neededBesides: Readonly<Record<string, readonly Kind[]>> = {
  "precache-plan": [kinds.ManagedCluster, kinds.Policy],
  "precache-status": [kinds.ManifestWork, kinds.PreCachingReport, kinds.ReadinessReport],
  "precache-ready": [kinds.ReadinessReport],
};

/** The kinds that each function uses. */
export const neededKinds: readonly NeededKinds[] = allWatches.map(({ name, watches }) => {
  const besides = ownValue(neededBesides, name) ?? [];
  const watched = watches.filter(({ kind, sourceOf }) => !sourceOf && !besides.includes(kind));
  return { name, kinds: watched.map(({ kind }) => kind), required: ownValue(required, name) ?? [], besides };
});

/** The group versions that the hub serves. */
export type ServedKinds = Readonly<{
  /** Plural resource names by group version; empty for a version that is not served. */
  resources: ReadonlyMap<string, ReadonlySet<string>>;
  /** The served versions of each group whose needed version is not served. */
  otherVersions: ReadonlyMap<string, readonly string[]>;
}>;

/** Reads the group versions of the needed kinds from the hub. */
export async function servedKinds(hub: Pick<HubInspection, "resources" | "versions">): Promise<ServedKinds> {
  const all = neededKinds.flatMap(({ kinds, besides = [] }) => [...kinds, ...besides]);
  const resources = new Map<string, ReadonlySet<string>>();
  const otherVersions = new Map<string, readonly string[]>();
  for (const apiVersion of new Set(all.map((kind) => kind.apiVersion))) {
    const found = await hub.resources(apiVersion);
    resources.set(apiVersion, found ?? new Set());
    const group = groupOf({ apiVersion });
    if (!found && group) otherVersions.set(apiVersion, await hub.versions(group));
  }
  return { resources, otherVersions };
}

const nameOf = ({ plural, apiVersion }: Kind) => `${plural} of ${apiVersion}`;

const isOwn = ({ apiVersion }: Kind) => apiVersion.startsWith("hubrelay.dev/");

/** Returns how to install the missing kinds; one command installs all of hubrelay's own. */
const remedyFor = (missing: readonly Kind[]) =>
  [
    missing.some(isOwn) ? `Run ${applyCommand("infra/crds")}, which installs hubrelay's own kinds.` : "",
    missing.every(isOwn)
      ? ""
      : "Is this kubeconfig the hub's? If it is, install the operator that provides these definitions.",
  ]
    .filter(Boolean)
    .join(" ");

/** Judges whether the hub serves a function's kinds in the versions that it reads. */
export function kindsVerdict(
  { kinds, required = [], besides = [] }: NeededKinds,
  { resources, otherVersions }: ServedKinds,
): Verdict {
  const isMissing = ({ apiVersion, plural }: Kind) => !resources.get(apiVersion)?.has(plural);
  const versionsOf = ({ apiVersion }: Kind) => otherVersions.get(apiVersion) ?? [];
  const missing = kinds.filter(isMissing);
  const needed = missing.filter((kind) => required.includes(kind));
  const outdated = needed.find((kind) => versionsOf(kind).length > 0);
  if (outdated)
    return problem(
      sentence`The hub serves ${groupOf(outdated)} only as ${versionsOf(outdated).join(", ")}, not as ${outdated.apiVersion}.`,
      "Update the hub, or use a hubrelay version that supports it.",
    );
  if (needed.length > 0)
    return problem(`The hub does not serve ${someOf(needed.map(nameOf))}.`, remedyFor(needed));
  const missingBesides = besides.filter(isMissing);
  if (missingBesides.length > 0 && missing.length < kinds.length)
    return problem(
      `The hub serves the kinds that it watches, but not ${someOf(missingBesides.map(nameOf))}, which it requires.`,
      remedyFor(missingBesides),
    );
  const served = `${kinds.length - missing.length} of ${counted(kinds.length, "kind")} ${kinds.length === 1 ? "is" : "are"} served`;
  if (missing.length === 0) return ok(`${served}.`);
  // hubrelay's own kinds come first: the list may be cut, and their remedy is a command.
  const own = missing.filter(isOwn);
  const absent = someOf([...own, ...missing.filter((kind) => !isOwn(kind))].map(nameOf), 3);
  const how = own.length > 0 ? ` ${remedyFor(own)}` : "";
  return note(`${served}; not ${absent}.`, `Nothing to do, unless you want to use them.${how}`);
}

/** The KEDA object that scales the functions' pods by the length of their queues. */
export const scaledObject = namespacedKind("keda.sh/v1alpha1", "ScaledObject");

/** Required fields of a kind's `spec`, or values of a field, and the consequence of their absence in the schema. */
type NeededFields = Readonly<{
  fields: readonly string[];
  judged: typeof note;
  found: (lacking: string) => string;
  remedy: string;
}>;

const updateOcm = `Update Open Cluster Management on the hub: its API of version ${minimumVersions.ocm} and later has all of it.`;

/** Required fields of other projects' kinds: an API server silently drops unknown fields. */
export const neededFields: Readonly<
  Record<"ManifestWork" | "KEDA", Readonly<{ kind: Kind; complete: string; needed: readonly NeededFields[] }>>
> = {
  ManifestWork: {
    kind: kinds.ManifestWork,
    complete: "Its definition has all that pre-caching writes.",
    needed: [
      {
        // Status feedback, and the way to apply a Job that may be suspended later.
        fields: [
          "manifestConfigs.feedbackRules.jsonPaths",
          "manifestConfigs.feedbackRules.type JSONPaths",
          "manifestConfigs.updateStrategy.type ServerSideApply",
          "manifestConfigs.updateStrategy.type CreateOnly",
        ],
        judged: problem,
        found: (lacking) => `Its definition lacks ${lacking}: the progress of pre-caching could not be read.`,
        remedy: updateOcm,
      },
      {
        // Finished Jobs are not applied again, finished ManifestWorks are deleted.
        fields: ["manifestConfigs.conditionRules", "deleteOption.ttlSecondsAfterFinished"],
        judged: note,
        found: (lacking) => `Its definition lacks ${lacking}, which pre-caching can do without.`,
        remedy: updateOcm,
      },
    ],
  },
  KEDA: {
    kind: scaledObject,
    complete: "Its ScaledObjects have spec.fallback.behavior.",
    needed: [
      {
        // Keeps the number of pods while the queue's length is unknown. Only the overlays with pods use it.
        fields: ["fallback.behavior"],
        judged: note,
        found: (lacking) => `Its ScaledObjects lack ${lacking}: it is older than ${minimumVersions.keda}.`,
        remedy:
          "Nothing to do where functions run on Lambda. For pods update KEDA, or do not apply the folder keda of the overlay.",
      },
    ],
  },
};

function fieldOf(schema: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, name) => {
    const { items } = fieldsOf(at);
    const { properties } = isRecord(items) ? items : fieldsOf(at);
    return isRecord(properties) ? ownValue(properties, name) : undefined;
  }, schema);
}

function hasField(spec: unknown, field: string): boolean {
  const [path = "", value] = field.split(" ");
  const schema = fieldOf(spec, path);
  if (!isRecord(schema)) return false;
  return value === undefined || !Array.isArray(schema.enum) || schema.enum.includes(value);
}

/** Judges whether a kind's OpenAPI schema has the fields that hubrelay writes. */
export function fieldsVerdict(name: keyof typeof neededFields, schema: unknown): Verdict {
  const { kind, complete, needed } = neededFields[name];
  const spec = fieldOf(schema, "spec");
  if (!isRecord(spec))
    return note(`The hub does not publish the schema of ${kind.kind}.`, "Nothing to do; it was not checked.");
  for (const { fields, judged, found, remedy } of needed) {
    const lacking = fields.filter((field) => !hasField(spec, field)).map((field) => `spec.${field}`);
    if (lacking.length > 0) return judged(found(lacking.join(", ")), remedy);
  }
  return ok(complete);
}
