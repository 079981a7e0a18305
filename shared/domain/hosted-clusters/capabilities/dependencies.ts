import { sentence } from "../../credentials/redact.ts";
import { compareReleases, type Release } from "../../releases/release.ts";
import { type CapabilityDependency, capabilityDependencies } from "../facts/openshift-api.ts";

/** A capability that is on while one that it requires is off. */
export type MissingDependency = Readonly<{ capability: string; requires: string; message: string }>;

function applies({ since, until }: CapabilityDependency, release: Release | undefined): boolean {
  if (!release) return until === undefined;
  return compareReleases(since, release) <= 0 && (!until || compareReleases(release, until) < 0);
}

/**
 * Returns what is missing in a ClusterVersion with this `additionalEnabledCapabilities` and the baseline `None`, in
 * the API server's words. `implicitlyOn` are the guest's `status.capabilities.enabledCapabilities`, which count
 * too. Without a release the rules of the newest one apply.
 */
export function missingDependencies(
  additional: readonly string[],
  implicitlyOn: readonly string[],
  release: Release | undefined,
): readonly MissingDependency[] {
  const on = new Set([...additional, ...implicitlyOn]);
  return capabilityDependencies
    .filter(
      (rule) => additional.includes(rule.capability) && !on.has(rule.requires) && applies(rule, release),
    )
    .map(({ capability, requires }) => ({
      capability,
      requires,
      message:
        sentence`the \`${capability}\` capability requires the \`${requires}\` capability, which is neither explicitly or ` +
        sentence`implicitly enabled in this cluster, please enable the \`${requires}\` capability`,
    }));
}
