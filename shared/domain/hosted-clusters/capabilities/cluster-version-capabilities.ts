import { byCodeUnit, fieldsOf } from "../../kubernetes/json/values.ts";
import {
  compareReleases,
  parseRelease,
  type Release,
  releaseText,
} from "../../openshift/releases/release.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type CapabilityForm, capabilityForms } from "../facts/capability-forms.ts";
import { supportedSince } from "../facts/hypershift.ts";
import { capabilitiesAddedBy, newestKnownRelease } from "../facts/openshift-api.ts";

/** The capabilities of a release, and how they are known. */
type CapabilitySet = Readonly<{
  /** Sorted by code unit. */
  names: readonly string[];
  /** The release whose set it is, e.g. `4.18`. */
  of: string;
  /** `release`: this release is in the table; `newest`: it is newer than the table, or unknown. */
  basis: "release" | "newest";
}>;

/** Returns all capabilities that a release knows; for a release beyond the table, those of the newest one. */
export function capabilitySet(release: Release | undefined): CapabilitySet {
  const isKnown = release !== undefined && compareReleases(release, newestKnownRelease) <= 0;
  const upTo = isKnown ? release : newestKnownRelease;
  const names = capabilitiesAddedBy.flatMap(([since, added]) =>
    compareReleases(since, upTo) <= 0 ? added : [],
  );
  return { names: names.sort(), of: releaseText(upTo), basis: isKnown ? "release" : "newest" };
}

/** Returns the release in which a component became a capability; undefined for a name that is not in the table. */
export function capabilitySince(name: string): Release | undefined {
  return capabilitiesAddedBy.find(([, added]) => added.includes(name))?.[0];
}

/** `spec.capabilities` of a HostedCluster. */
export type CapabilityChoice = Readonly<{ enabled?: readonly string[]; disabled?: readonly string[] }>;

/** `spec.capabilities` of a hosted cluster's ClusterVersion. */
export type ClusterCapabilities = Readonly<{
  /** `vCurrent`, all capabilities of the release, stands for a control plane that leaves the field out. */
  baselineCapabilitySet: "None" | "vCurrent";
  /** Sorted by code unit: all that are on. HyperShift writes null if the guest knows none of them. */
  additionalEnabledCapabilities: readonly string[] | null;
}>;

/** The input of `resolveCapabilities`. */
export type CapabilityInput = Readonly<{
  choice: CapabilityChoice;
  /** The control plane's version, e.g. `4.18.3`; undefined or unreadable: the newest that is known. */
  version?: string | undefined;
  /** `status.capabilities.knownCapabilities` of the guest's ClusterVersion; none or empty: no filter. */
  knownToGuest?: readonly string[] | undefined;
}>;

type CapabilityOptions = Readonly<{ compat?: "hypershift" | undefined }>;

/** Returns the row of a release; undefined for one that is older than the table, whose control plane writes nothing. */
function formOf(release: Release | undefined): CapabilityForm | undefined {
  return capabilityForms.findLast(({ since }) => !release || compareReleases(since, release) <= 0);
}

function isWritten({ isWritten: when }: CapabilityForm, { disabled = [] }: CapabilityChoice): boolean {
  return when === "always" || (when !== "never" && disabled.includes("ImageRegistry"));
}

/**
 * Returns what the control plane of a release writes to `spec.capabilities` of the guest's ClusterVersion; undefined if
 * it leaves the field out. The names are those that it knows, without those that are off by default or disabled, plus
 * the enabled ones, limited to what the guest knows. With `compat: "hypershift"` names are not checked.
 */
export function writtenCapabilities(
  { choice, version, knownToGuest }: CapabilityInput,
  { compat }: CapabilityOptions = {},
): ClusterCapabilities | undefined {
  const release = parseRelease(version);
  const form = formOf(release);
  if (!form || !isWritten(form, choice)) return undefined;
  const set = capabilitySet(form.builtWith ?? release).names;
  const off = new Set([...form.offByDefault, ...(choice.disabled ?? [])]);
  const enabled = form.readsEnabled ? (choice.enabled ?? []) : [];
  const wanted = new Set([
    ...set.filter((name) => !off.has(name)),
    ...enabled.filter((name) => compat || set.includes(name)),
  ]);
  const known = new Set(knownToGuest);
  const names = [...(known.size === 0 ? wanted : wanted.intersection(known))].sort(byCodeUnit);
  const isNothing = names.length === 0 && compat === "hypershift";
  return { baselineCapabilitySet: "None", additionalEnabledCapabilities: isNothing ? null : names };
}

/** Returns the capabilities of a hosted cluster: what its control plane writes, or else all that its release has. */
export function resolveCapabilities(
  input: CapabilityInput,
  options: CapabilityOptions = {},
): ClusterCapabilities {
  return (
    writtenCapabilities(input, options) ?? {
      baselineCapabilitySet: "vCurrent",
      additionalEnabledCapabilities: capabilitySet(parseRelease(input.version)).names,
    }
  );
}

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** Reads `spec.capabilities`; values of the wrong type are ignored, because validation reports them. */
export function readCapabilityChoice(capabilities: unknown): Required<CapabilityChoice> {
  const { enabled, disabled } = fieldsOf(capabilities);
  return { enabled: names(enabled), disabled: names(disabled) };
}

/** What becomes of the capabilities that a HostedCluster disables. */
type OmittedCapabilities = Readonly<{
  /** The control plane omits them. One of an older release ignores that they are disabled. */
  omitted: readonly string[];
  /** During an upgrade: only one of the control planes that may run omits them. */
  undecided: readonly string[];
}>;

/** Returns which disabled capabilities the control plane of a hosted cluster omits: without a version all of them. */
export function omittedCapabilities(
  cluster: Pick<HostedCluster, "capabilities" | "controlPlaneVersion" | "begunVersions">,
): OmittedCapabilities {
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  const releases = [cluster.controlPlaneVersion, ...cluster.begunVersions].flatMap(
    (version) => parseRelease(version) ?? [],
  );
  const isOmitted = (name: string) =>
    releases.map((release) => compareReleases(release, supportedSince(name)) >= 0);
  const omitted = disabled.filter((name) => !isOmitted(name).includes(false));
  return {
    omitted,
    undecided: disabled.filter((name) => !omitted.includes(name) && isOmitted(name).includes(true)),
  };
}
