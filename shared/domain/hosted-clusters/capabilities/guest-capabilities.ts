import { isRecord, isStringList } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareReleases, parseRelease } from "../../releases/release.ts";
import { baremetalOffSince } from "../facts/hypershift.ts";

/** The capabilities in the guest's ClusterVersion. */
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

/** The differences between a guest's capabilities and the desired ones. Lists are sorted by code unit. */
export type CapabilityDrift = Readonly<{
  /** Desired, but not requested in the ClusterVersion's spec. */
  missing: readonly string[];
  /** Requested in the ClusterVersion's spec, but not desired. */
  unwanted: readonly string[];
  /** On in the guest without being requested: the cluster-version operator kept them on. */
  implicitlyEnabled: readonly string[];
}>;

/** Returns what is on in the guest although neither the spec nor the baseline requests it. */
export function implicitlyEnabled({ baseline, enabled, additional }: GuestCapabilities): readonly string[] {
  return baseline === "None" ? enabled.filter((name) => !additional.includes(name)).sort() : [];
}

/** Compares the desired capabilities with those that the ClusterVersion requests and those that are on. */
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
