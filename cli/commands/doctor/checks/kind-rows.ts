import { allWatches } from "#functions/watches.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { ownValue, someOf } from "#shared/domain/kubernetes/json/values.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { note, ok, problem, type Verdict } from "./check.ts";

/** The minimum versions that doctor checks, as in docs/deploy-kubernetes.md. */
export const minimumVersions = {
  /** The first version with ValidatingAdmissionPolicies v1. */
  kubernetes: "1.30",
  /** The OpenShift release with Kubernetes 1.30. */
  openShift: "4.17",
} as const;

const minorOf = (version: string) => Number(/^v?1\.(\d+)/.exec(version)?.[1]);

/** Judges whether the hub's version of Kubernetes supports the admission policies that restrict hubrelay's accounts. */
export function kubernetesVerdict(version: string, connected: string): Verdict {
  const { kubernetes, openShift } = minimumVersions;
  return minorOf(version) < minorOf(kubernetes)
    ? problem(
        connected,
        `Update the hub: hubrelay's admission policies need Kubernetes ${kubernetes}, which is OpenShift ${openShift}.`,
      )
    : ok(connected);
}

/** The kinds that one function uses. */
export type NeededKinds = Readonly<{
  name: string;
  /** Kinds that the function reconciles. A hub may serve only some of them. */
  kinds: readonly Kind[];
  /** Kinds that the hub must also serve if it serves one of `kinds`. */
  besides: readonly Kind[];
}>;

const neededBesides: Readonly<Record<string, readonly Kind[]>> = {
  "mirror-config": [kinds.Image, kinds.ClusterVersion, kinds.MachineConfigPool, kinds.MachineConfig],
  "precache-plan": [kinds.ManagedCluster, kinds.Policy],
  "precache-status": [kinds.ManifestWork, kinds.PreCachingReport, kinds.ReadinessReport],
  "precache-ready": [kinds.ReadinessReport],
};

/** The kinds that each function uses. */
export const neededKinds: readonly NeededKinds[] = allWatches.map(({ name, watches }) => {
  const besides = ownValue(neededBesides, name) ?? [];
  const watched = watches.filter(({ kind, sourceOf }) => !sourceOf && !besides.includes(kind));
  return { name, kinds: watched.map(({ kind }) => kind), besides };
});

/** The plural names of the served kinds by group version; an empty set for a version that the hub does not serve. */
export type ServedKinds = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads which of the needed kinds the hub serves. */
export async function servedKinds(hub: Pick<HubInspection, "resources">): Promise<ServedKinds> {
  const all = neededKinds.flatMap(({ kinds, besides }) => [...kinds, ...besides]);
  const resources = new Map<string, ReadonlySet<string>>();
  for (const apiVersion of new Set(all.map((kind) => kind.apiVersion)))
    resources.set(apiVersion, (await hub.resources(apiVersion)) ?? new Set());
  return resources;
}

const nameOf = ({ plural, apiVersion }: Kind) => `${plural} of ${apiVersion}`;

const isOwn = ({ apiVersion }: Kind) => apiVersion.startsWith("hubrelay.dev/");

const remedyFor = (missing: readonly Kind[]) =>
  [
    missing.some(isOwn) ? `Run ${applyCommand("infra/crds")}, which installs hubrelay's own kinds.` : "",
    missing.every(isOwn)
      ? ""
      : "Is this kubeconfig the hub's? If it is, install the operator that provides these definitions.",
  ]
    .filter(Boolean)
    .join(" ");

/** Judges whether the hub serves a function's kinds in the versions that the function reads. */
export function kindsVerdict({ kinds, besides }: NeededKinds, resources: ServedKinds): Verdict {
  const isMissing = ({ apiVersion, plural }: Kind) => !resources.get(apiVersion)?.has(plural);
  const missing = kinds.filter(isMissing);
  const missingBesides = besides.filter(isMissing);
  if (missingBesides.length > 0 && missing.length < kinds.length)
    return problem(
      `The hub serves kinds that it watches, but not ${someOf(missingBesides.map(nameOf))}, which it requires.`,
      remedyFor(missingBesides),
    );
  const served = `${kinds.length - missing.length} of ${counted(kinds.length, "kind")} ${kinds.length === 1 ? "is" : "are"} served`;
  if (missing.length === 0) return ok(`${served}.`);
  // hubrelay's own kinds come first, since the list may be cut, and a user can install these kinds with one command.
  const own = missing.filter(isOwn);
  const absent = someOf([...own, ...missing.filter((kind) => !isOwn(kind))].map(nameOf), 3);
  const how = own.length > 0 ? ` ${remedyFor(own)}` : "";
  return note(`${served}; not ${absent}.`, `Nothing to do, unless you want to use them.${how}`);
}
