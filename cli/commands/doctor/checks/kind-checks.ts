import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { groupOf } from "#shared/domain/kubernetes/access.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import { type Check, note, ok, problem, someOf } from "./check.ts";
import type { NeededKinds } from "./needed-kinds.ts";

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

const remedyFor = ({ apiVersion, plural }: Kind) =>
  apiVersion.startsWith("hubrelay.dev/")
    ? `Install it: kubectl apply -f infra/crds/${plural}.yaml`
    : "Is this kubeconfig the hub's? If it is, install the operator that provides these definitions.";

/** Checks that the hub serves the kinds of a function, in the versions that it reads. */
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
      "Update the hub, or use a hubrelay version that supports it.",
    );
  }
  if (needed.length > 0)
    return problem(
      title,
      `The hub does not serve ${someOf(needed.map(nameOf))}.`,
      "Is this kubeconfig the hub's? If it is, install the operator that provides these definitions.",
    );
  const [missingBeside] = besides.filter(({ apiVersion, plural }) => !resources.get(apiVersion)?.has(plural));
  if (missingBeside && missing.length < kinds.length)
    return problem(
      title,
      `The hub serves the kinds that it watches, but not ${nameOf(missingBeside)}, which it requires.`,
      remedyFor(missingBeside),
    );
  const served = `${kinds.length - missing.length} of ${kinds.length} kinds are served`;
  if (missing.length === 0) return ok(title, `${served}.`);
  const absent = someOf(missing.map(nameOf), 3);
  const own = missing.find(({ apiVersion }) => apiVersion.startsWith("hubrelay.dev/"));
  const how = own ? ` ${remedyFor(own)}` : "";
  return note(title, `${served}; not ${absent}.`, `Nothing to do, unless you want to use them.${how}`);
}
