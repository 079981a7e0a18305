import { fieldsOf, isStringList } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ClusterCapabilities } from "./cluster-version-capabilities.ts";

/** The capabilities in the guest's ClusterVersion. */
export type GuestCapabilities = Readonly<{
  baseline: string | undefined;
  /** `spec.capabilities.additionalEnabledCapabilities`. */
  additional: readonly string[];
  /** `status.capabilities.knownCapabilities`; empty until the guest has reported. */
  known: readonly string[];
  /** `status.capabilities.enabledCapabilities`. */
  enabled: readonly string[];
}>;

const names = (value: unknown): readonly string[] => (isStringList(value) ? value : []);

/** Reads the guest's ClusterVersion `version`; what is missing or has the wrong type is empty. */
export function readGuestCapabilities(clusterVersion: KubernetesObject): GuestCapabilities {
  const spec = fieldsOf(fieldsOf(clusterVersion.spec).capabilities);
  const status = fieldsOf(clusterVersion.status);
  const reported = fieldsOf(status.capabilities);
  return {
    baseline: typeof spec.baselineCapabilitySet === "string" ? spec.baselineCapabilitySet : undefined,
    additional: names(spec.additionalEnabledCapabilities),
    known: names(reported.knownCapabilities),
    enabled: names(reported.enabledCapabilities),
  };
}

/** Returns what is on in the guest although neither the spec nor the baseline requests it. */
export function implicitlyEnabled({ baseline, enabled, additional }: GuestCapabilities): readonly string[] {
  return baseline === "None" ? enabled.filter((name) => !additional.includes(name)).sort() : [];
}

/** Returns a sentence for each difference between what a control plane writes and what the guest's ClusterVersion has. */
export function capabilityDifferences(
  written: ClusterCapabilities | undefined,
  { baseline, additional }: GuestCapabilities,
): readonly string[] {
  if (!written)
    return baseline === undefined && additional.length === 0
      ? []
      : ["ClusterVersion has spec.capabilities, which the control plane of this release leaves out."];
  const wanted = written.additionalEnabledCapabilities ?? [];
  const missing = wanted.filter((name) => !additional.includes(name)).sort();
  const unwanted = additional.filter((name) => !wanted.includes(name)).sort();
  const isOtherBaseline = missing.length === 0 && baseline !== written.baselineCapabilitySet;
  return [
    ...(missing.length > 0 ? [sentence`ClusterVersion does not enable ${missing.join(", ")}.`] : []),
    ...(unwanted.length > 0
      ? [sentence`ClusterVersion enables ${unwanted.join(", ")}, which the HostedCluster does not request.`]
      : []),
    ...(isOtherBaseline
      ? [`ClusterVersion does not have the baseline ${written.baselineCapabilitySet}.`]
      : []),
  ];
}
