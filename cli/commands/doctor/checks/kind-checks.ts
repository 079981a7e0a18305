import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { groupOf } from "#shared/domain/kubernetes/access.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import { type Check, note, ok, problem, someOf } from "./check.ts";
import type { NeededKinds } from "./needed-kinds.ts";

/** The group versions of some kinds as the hub serves them. */
export type ServedKinds = Readonly<{
  /** Plural names of the resources of each group version; none where it is not served. */
  resources: ReadonlyMap<string, ReadonlySet<string>>;
  /** The served versions of each group of which the wanted one is not. */
  otherVersions: ReadonlyMap<string, readonly string[]>;
}>;

/** Asks the hub for the group versions of these kinds. */
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

/** How a kind comes to a hub: hubrelay's own by a file of its, the others with their operators. */
const remedyFor = ({ apiVersion, plural }: Kind) =>
  apiVersion.startsWith("hubrelay.dev/")
    ? `kubectl apply -f infra/crds/${plural}.yaml brings it.`
    : "Is this kubeconfig the hub's? If it is, install the operator that brings these definitions.";

/** Whether the hub serves what a function reads, in the versions that it reads. */
export function kindsCheck(
  { name, kinds, required = [], besides = [] }: NeededKinds,
  { resources, otherVersions }: ServedKinds,
): Check {
  const title = `kinds of ${name}`;
  const missing = kinds.filter(({ apiVersion, plural }) => !resources.get(apiVersion)?.has(plural));
  const needed = missing.filter((kind) => required.includes(kind));
  const [outdated] = needed.filter(({ apiVersion }) => (otherVersions.get(apiVersion) ?? []).length > 0);
  if (outdated) {
    const versions = (otherVersions.get(outdated.apiVersion) ?? []).join(", ");
    return problem(
      title,
      `The hub serves ${groupOf(outdated)} only as ${versions}, not as ${outdated.apiVersion}.`,
      "Update the hub, or take a hubrelay that fits its version.",
    );
  }
  if (needed.length > 0)
    return problem(
      title,
      `The hub does not serve ${someOf(needed.map(nameOf))}.`,
      "Is this kubeconfig the hub's? If it is, install the operator that brings these definitions.",
    );
  const [absentBeside] = besides.filter(({ apiVersion, plural }) => !resources.get(apiVersion)?.has(plural));
  if (absentBeside && missing.length < kinds.length)
    return problem(
      title,
      `The hub serves what wakes it, but not ${nameOf(absentBeside)}, which it cannot do without.`,
      remedyFor(absentBeside),
    );
  const served = `${kinds.length - missing.length} of ${kinds.length} kinds are served`;
  if (missing.length === 0) return ok(title, `${served}.`);
  const absent = someOf(missing.map(nameOf), 3);
  const own = missing.find(({ apiVersion }) => apiVersion.startsWith("hubrelay.dev/"));
  const how = own ? ` ${remedyFor(own)}` : "";
  return note(title, `${served}; not ${absent}.`, `Nothing to do, unless you want to use them.${how}`);
}
