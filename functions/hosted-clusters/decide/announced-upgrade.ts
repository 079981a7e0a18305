import { upgradeIssues } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import {
  type CapabilityUpgrade,
  upgradeCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/upgrade.ts";
import {
  compareReleases,
  parseRelease,
  versionInTag,
} from "#shared/domain/hosted-clusters/cluster/release.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { reachedVersion } from "../observe/reached-version.ts";
import { type Context, clusterOutcome, nothing, type PartialPlan } from "./cluster-plan.ts";

/** What changes, as parts of a sentence. */
function changes({ appear, stayEnabled, stayOff, comeBack }: CapabilityUpgrade): readonly string[] {
  const part = (names: readonly string[], what: string) =>
    names.length === 0 ? [] : [`${names.join(", ")} ${what}`];
  return [
    ...part(appear, "will be on, new in this release"),
    ...part(stayEnabled, "will stay on although disabled"),
    ...part(stayOff, "will be off, new in this release"),
    ...part(comeBack, "will be there, which this release cannot be without"),
  ];
}

/**
 * Tells what another release does to the capabilities, as soon as the HostedCluster asks for it: once, as an Event
 * and as an outcome. A release that only a digest names tells no version, and nothing is told of it.
 */
export function announceUpgrade(one: Context): PartialPlan {
  const { cluster, guest, key } = one;
  const from = reachedVersion(cluster.object);
  const to = versionInTag(cluster.releaseImage);
  const before = parseRelease(from);
  const after = parseRelease(to);
  if (!to || !before || !after || compareReleases(before, after) === 0) return nothing;
  const choice = readCapabilityChoice(cluster.capabilities);
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  const enabledInGuest = clusterVersion && readGuestCapabilities(clusterVersion).enabled;
  const upgrade = upgradeCapabilities({ choice, from, to, enabledInGuest });
  const told = changes(upgrade);
  const message = told.length === 0 ? "the capabilities stay as they are" : told.join("; ");
  const { direction, appear, stayDisabled, stayEnabled, stayOff, comeBack } = upgrade;
  const data = { from, to, direction, appear, stayDisabled, stayEnabled, stayOff, comeBack };
  const objectEvent: ObjectEvent = {
    regarding: cluster.object,
    type: "Normal",
    reason: "CapabilitiesOfRelease",
    message: `From ${from} to ${to}: ${message}.`,
    distinction: `${from} ${to}`,
    outcome: clusterOutcome("release", one, `${from} ${to}`, data),
  };
  return {
    ...nothing,
    decisions: [{ subject: `${key} Release`, verdict: direction, reason: message }],
    issues: upgradeIssues(cluster.object, choice, upgrade),
    objectEvents: [objectEvent],
  };
}
