import { byCodeUnit } from "../../json/order.ts";
import { isRecord } from "../../json/values.ts";
import { parseRelease } from "../../releases/release.ts";
import { offByDefault } from "../facts/hypershift.ts";
import { capabilitySet } from "./capability-sets.ts";

/** `spec.capabilities` of a HostedCluster. */
export type CapabilityChoice = Readonly<{ enabled?: readonly string[]; disabled?: readonly string[] }>;

/** The desired `spec.capabilities` of a hosted cluster's ClusterVersion. */
export type ClusterCapabilities = Readonly<{
  baselineCapabilitySet: "None";
  /** Sorted by code unit. HyperShift writes null if the guest knows none of them. */
  additionalEnabledCapabilities: readonly string[] | null;
}>;

/** The input of `resolveCapabilities`. */
export type CapabilityInput = Readonly<{
  choice: CapabilityChoice;
  /** The data plane's version, e.g. `4.18.3`; undefined or unreadable: the newest known set. */
  version?: string | undefined;
  /** `status.capabilities.knownCapabilities` of the guest's ClusterVersion; none or empty: no filter. */
  knownToGuest?: readonly string[] | undefined;
}>;

export type CapabilityOptions = Readonly<{ compat?: "hypershift" | undefined }>;

function wantedNames({ choice, version }: CapabilityInput, compat: "hypershift" | undefined): string[] {
  const release = parseRelease(version);
  // The control-plane operator uses the newest set for every release, and does not check names.
  const set = capabilitySet(compat ? undefined : release);
  const off = new Set([...offByDefault, ...(choice.disabled ?? [])]);
  const enabled = (choice.enabled ?? []).filter((name) => compat || set.names.includes(name));
  return [...new Set([...set.names.filter((name) => !off.has(name)), ...enabled])].sort(byCodeUnit);
}

/**
 * Returns the desired capabilities of a hosted cluster's ClusterVersion: those of its release, without those that
 * are off by default or disabled, plus the enabled ones, limited to what release and guest know. A name that is
 * both enabled and disabled is on. With `compat: "hypershift"` exactly what HyperShift writes.
 */
export function resolveCapabilities(
  input: CapabilityInput,
  { compat }: CapabilityOptions = {},
): ClusterCapabilities {
  const wanted = wantedNames(input, compat);
  const known = new Set(input.knownToGuest);
  const names = known.size === 0 ? wanted : wanted.filter((name) => known.has(name));
  const isNothing = names.length === 0 && compat === "hypershift";
  return { baselineCapabilitySet: "None", additionalEnabledCapabilities: isNothing ? null : names };
}

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** Reads `spec.capabilities`; values of the wrong type are ignored, because validation reports them. */
export function readCapabilityChoice(capabilities: unknown): Required<CapabilityChoice> {
  const { enabled, disabled } = isRecord(capabilities) ? capabilities : {};
  return { enabled: names(enabled), disabled: names(disabled) };
}
