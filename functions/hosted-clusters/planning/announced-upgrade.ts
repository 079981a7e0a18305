import { upgradeIssues } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import {
  readCapabilityChoice,
  readGuestCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import {
  type CapabilityUpgrade,
  upgradeCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/upgrade.ts";
import { compareReleases, parseRelease, versionInTag } from "#shared/domain/openshift/releases/release.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { nothing, type PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Context } from "./cluster-plan.ts";

function changes({ appear, stayEnabled, stayOff, comeBack }: CapabilityUpgrade): readonly string[] {
  const part = (names: readonly string[], what: string) =>
    names.length === 0 ? [] : [`${names.join(", ")} ${what}`];
  return [
    ...part(appear, "will be on, new in this release"),
    ...part(stayEnabled, "will stay on, because what is installed is not removed"),
    ...part(stayOff, "will be off, new in this release"),
    ...part(comeBack, "will be installed, because this release always has them"),
  ];
}

/**
 * Reports once, as an Event, what a newly requested release does to the capabilities. Reports
 * nothing for a release that only a digest names, because its version is unknown.
 */
export function planUpgradeReport(context: Context): PartialPlan {
  const { cluster, guest, key } = context;
  const from = cluster.reachedVersion;
  const to = versionInTag(cluster.releaseImage);
  const before = parseRelease(from);
  const after = parseRelease(to);
  if (!to || !before || !after || compareReleases(before, after) === 0) return nothing;
  const choice = readCapabilityChoice(cluster.capabilities);
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  const enabledInGuest = clusterVersion && readGuestCapabilities(clusterVersion).enabled;
  const upgrade = upgradeCapabilities({ choice, from, to, enabledInGuest });
  const parts = changes(upgrade);
  const message = parts.length === 0 ? "the capabilities do not change" : parts.join("; ");
  const objectEvent: ObjectEvent = {
    regarding: cluster.object,
    type: "Normal",
    reason: "CapabilitiesOfRelease",
    message: sentence`From ${from} to ${to}: ${message}.`,
    distinction: `${from} ${to}`,
  };
  return {
    ...nothing,
    decisions: [{ subject: sentence`${key} Release`, verdict: upgrade.direction, reason: message }],
    issues: upgradeIssues(cluster.object, choice, upgrade),
    objectEvents: [objectEvent],
  };
}
