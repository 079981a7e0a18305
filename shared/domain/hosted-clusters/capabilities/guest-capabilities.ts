import { isRecord, isStringList } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareReleases, parseRelease, type Release } from "../cluster/release.ts";

/** What the guest's ClusterVersion says about capabilities. */
export type GuestCapabilities = Readonly<{
  baseline: string | undefined;
  /** `spec.capabilities.additionalEnabledCapabilities`. */
  additional: readonly string[];
  /** `status.capabilities.knownCapabilities`; empty until the guest has reported. */
  known: readonly string[];
  /** `status.capabilities.enabledCapabilities`. */
  enabled: readonly string[];
  /** `status.desired.version`. */
  version: string | undefined;
}>;

const names = (value: unknown): readonly string[] => (isStringList(value) ? value : []);
const fields = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Reads the guest's ClusterVersion `version`; what is missing or has the wrong type is empty. */
export function readGuestCapabilities(clusterVersion: KubernetesObject): GuestCapabilities {
  const spec = fields(fields(clusterVersion.spec).capabilities);
  const status = fields(clusterVersion.status);
  const reported = fields(status.capabilities);
  const { version } = fields(status.desired);
  return {
    baseline: typeof spec.baselineCapabilitySet === "string" ? spec.baselineCapabilitySet : undefined,
    additional: names(spec.additionalEnabledCapabilities),
    known: names(reported.knownCapabilities),
    enabled: names(reported.enabledCapabilities),
    version: typeof version === "string" && version !== "" ? version : undefined,
  };
}

/** Where a guest's capabilities are not what they should be. Lists are sorted by code unit. */
export type CapabilityDrift = Readonly<{
  /** Wanted, but not asked for in the ClusterVersion's spec. */
  missing: readonly string[];
  /** Asked for in the ClusterVersion's spec, but not wanted. */
  unwanted: readonly string[];
  /** On in the guest without being asked for: the cluster-version operator kept them on by itself. */
  implicitlyEnabled: readonly string[];
}>;

/** Control planes before this release leave baremetal on; none removes it later. */
const baremetalOffSince: Release = { major: 4, minor: 20 };

/** What is on in the guest without being asked for, where its baseline does not ask for it either. */
export function implicitlyEnabled({ baseline, enabled, additional }: GuestCapabilities): readonly string[] {
  return baseline === "None" ? enabled.filter((name) => !additional.includes(name)).sort() : [];
}

/** Compares what the ClusterVersion should ask for with what it asks for and what is on. */
export function compareWithGuest(wanted: readonly string[], guest: GuestCapabilities): CapabilityDrift {
  const release = parseRelease(guest.version);
  const isOlder = release !== undefined && compareReleases(release, baremetalOffSince) < 0;
  const isWanted = (name: string) => wanted.includes(name) || (isOlder && name === "baremetal");
  return {
    missing: wanted.filter((name) => !guest.additional.includes(name)).sort(),
    unwanted: guest.additional.filter((name) => !isWanted(name)).sort(),
    implicitlyEnabled: implicitlyEnabled(guest),
  };
}
