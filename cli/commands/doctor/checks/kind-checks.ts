import { allWatches } from "#functions/watches.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { sentence } from "#shared/domain/credentials/redact.ts";
import { ownValue, someOf } from "#shared/domain/json/values.ts";
import { groupOf } from "#shared/domain/kubernetes/access.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** The kinds of a function, by what follows when a hub does not serve one. */
export type NeededKinds = Readonly<{
  name: string;
  /** The kinds that it reconciles, of which some may be missing. */
  kinds: readonly Kind[];
  /** Those without which it cannot work at all. */
  required?: readonly Kind[];
  /** Others, which it requires as soon as the hub serves the kinds that it reconciles. */
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

/** The kinds that a hub has to serve, by function. */
export const neededKinds: readonly NeededKinds[] = allWatches.map(({ name, watches }) => {
  const besides = ownValue(neededBesides, name) ?? [];
  const watched = watches.filter(({ kind, sourceOf }) => !sourceOf && !besides.includes(kind));
  return { name, kinds: watched.map(({ kind }) => kind), required: ownValue(required, name) ?? [], besides };
});

/** The group versions that the hub serves. */
export type ServedKinds = Readonly<{
  /** Plural names of the resources by group version; empty when it is not served. */
  resources: ReadonlyMap<string, ReadonlySet<string>>;
  /** The served versions of each group whose needed version is not served. */
  otherVersions: ReadonlyMap<string, readonly string[]>;
}>;

/** Reads the group versions of these kinds from the hub. */
export async function servedKinds(hub: HubInspection, kinds: readonly Kind[]): Promise<ServedKinds> {
  const resources = new Map<string, ReadonlySet<string>>();
  const otherVersions = new Map<string, readonly string[]>();
  for (const { apiVersion } of kinds) {
    if (resources.has(apiVersion)) continue;
    const found = await hub.resources(apiVersion);
    resources.set(apiVersion, found ?? new Set());
    const group = groupOf({ apiVersion });
    if (!found && group) otherVersions.set(apiVersion, await hub.versions(group));
  }
  return { resources, otherVersions };
}

const nameOf = ({ plural, apiVersion }: Kind) => `${plural} of ${apiVersion}`;

const isOwn = ({ apiVersion }: Kind) => apiVersion.startsWith("hubrelay.dev/");

/** How to install these kinds; one command installs all of hubrelay's own. */
const remedyFor = (missing: readonly Kind[]) =>
  [
    ...(missing.some(isOwn)
      ? [`Run ${applyCommand("infra/crds")}, which installs hubrelay's own kinds.`]
      : []),
    ...(missing.every(isOwn)
      ? []
      : ["Is this kubeconfig the hub's? If it is, install the operator that provides these definitions."]),
  ].join(" ");

/** Checks that the hub serves the kinds of a function, in the versions that it reads. */
export function kindsCheck(
  { name, kinds, required = [], besides = [] }: NeededKinds,
  { resources, otherVersions }: ServedKinds,
): Check {
  const title = `kinds of ${name}`;
  const isMissing = ({ apiVersion, plural }: Kind) => !resources.get(apiVersion)?.has(plural);
  const missing = kinds.filter(isMissing);
  const needed = missing.filter((kind) => required.includes(kind));
  const [outdated] = needed.filter(({ apiVersion }) => (otherVersions.get(apiVersion) ?? []).length > 0);
  if (outdated) {
    const versions = (otherVersions.get(outdated.apiVersion) ?? []).join(", ");
    return problem(
      title,
      sentence`The hub serves ${groupOf(outdated)} only as ${versions}, not as ${outdated.apiVersion}.`,
      "Update the hub, or use a hubrelay version that supports it.",
    );
  }
  if (needed.length > 0)
    return problem(title, `The hub does not serve ${someOf(needed.map(nameOf))}.`, remedyFor(needed));
  const missingBesides = besides.filter(isMissing);
  if (missingBesides.length > 0 && missing.length < kinds.length)
    return problem(
      title,
      `The hub serves the kinds that it watches, but not ${someOf(missingBesides.map(nameOf))}, which it requires.`,
      remedyFor(missingBesides),
    );
  const served = `${kinds.length - missing.length} of ${counted(kinds.length, "kind")} ${kinds.length === 1 ? "is" : "are"} served`;
  if (missing.length === 0) return ok(title, `${served}.`);
  // Its own come first, since the list may be cut and their remedy is a command.
  const own = missing.filter(isOwn);
  const absent = someOf([...own, ...missing.filter((kind) => !isOwn(kind))].map(nameOf), 3);
  const how = own.length > 0 ? ` ${remedyFor(own)}` : "";
  return note(title, `${served}; not ${absent}.`, `Nothing to do, unless you want to use them.${how}`);
}
