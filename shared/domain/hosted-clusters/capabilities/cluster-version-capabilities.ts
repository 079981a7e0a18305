import { byCodeUnit, fieldsOf, isStringList } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  compareReleases,
  parseRelease,
  type Release,
  releaseText,
} from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type CapabilityForm, capabilityForms, supportedSince } from "../facts/hypershift.ts";
import { capabilitiesAddedBy, newestKnownRelease } from "../facts/openshift-api.ts";

type CapabilitySet = Readonly<{
  names: readonly string[];
  of: string;
  /** `newest` if the release is unknown: then `names` are those of the newest release that hubrelay knows. */
  basis: "release" | "newest";
}>;

/** Returns all capabilities of a release; those of the newest known release if `release` is newer or undefined. */
export function capabilitySet(release: Release | undefined): CapabilitySet {
  const isKnown = release !== undefined && compareReleases(release, newestKnownRelease) <= 0;
  const upTo = isKnown ? release : newestKnownRelease;
  const names = capabilitiesAddedBy.flatMap(([since, added]) =>
    compareReleases(since, upTo) <= 0 ? added : [],
  );
  return { names: names.sort(), of: releaseText(upTo), basis: isKnown ? "release" : "newest" };
}

/** Returns the first release in which a component is a capability; undefined for an unknown name. */
export function capabilitySince(name: string): Release | undefined {
  return capabilitiesAddedBy.find(([, added]) => added.includes(name))?.[0];
}

/** `spec.capabilities` of a HostedCluster. */
export type CapabilityChoice = Readonly<{ enabled?: readonly string[]; disabled?: readonly string[] }>;

/** `spec.capabilities` of a hosted cluster's ClusterVersion. */
export type ClusterCapabilities = Readonly<{
  baselineCapabilitySet: "None";
  /** Sorted by code unit. HyperShift writes null instead of an empty list. */
  additionalEnabledCapabilities: readonly string[] | null;
}>;

/** What decides a hosted cluster's capabilities. */
export type CapabilityInput = Readonly<{
  choice: CapabilityChoice;
  /** The control plane's version, such as `4.18.3`; if undefined or unreadable, the newest known release is assumed. */
  version?: string | undefined;
  /** The guest's `status.capabilities.knownCapabilities`; if empty, every capability counts as known. */
  knownToGuest?: readonly string[] | undefined;
}>;

/** Returns how a release (by default the newest) writes the capabilities; undefined before 4.12. */
function formOf(release: Release | undefined): CapabilityForm | undefined {
  return capabilityForms.findLast(({ since }) => !release || compareReleases(since, release) <= 0);
}

function isWritten({ isWritten: when }: CapabilityForm, { disabled = [] }: CapabilityChoice): boolean {
  return when === "always" || (when !== "never" && disabled.includes("ImageRegistry"));
}

/** Returns the `spec.capabilities` that a control plane writes. Null if it omits the field: then all are enabled. */
export function writtenCapabilities({
  choice,
  version,
  knownToGuest,
}: CapabilityInput): ClusterCapabilities | null {
  const release = parseRelease(version);
  const form = formOf(release);
  if (!form || !isWritten(form, choice)) return null;
  const set = capabilitySet(form.builtWith ?? release).names;
  const off = new Set([...form.offByDefault, ...(choice.disabled ?? [])]);
  const enabled = form.readsEnabled ? (choice.enabled ?? []) : [];
  const wanted = new Set([...set.filter((name) => !off.has(name)), ...enabled]);
  const known = new Set(knownToGuest);
  const names = [...(known.size === 0 ? wanted : wanted.intersection(known))].sort(byCodeUnit);
  return { baselineCapabilitySet: "None", additionalEnabledCapabilities: names.length === 0 ? null : names };
}

/** Returns a hosted cluster's enabled capabilities. */
export function enabledCapabilities(input: CapabilityInput): readonly string[] {
  const written = writtenCapabilities(input);
  if (!written) return capabilitySet(parseRelease(input.version)).names;
  return written.additionalEnabledCapabilities ?? [];
}

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** Reads `spec.capabilities`. Values of the wrong type are skipped: validation reports them. */
export function readCapabilityChoice(capabilities: unknown): Required<CapabilityChoice> {
  const { enabled, disabled } = fieldsOf(capabilities);
  return { enabled: names(enabled), disabled: names(disabled) };
}

/**
 * Reports whether the control plane omits the image registry: it is disabled, and the release supports that or is
 * unknown. Undefined while an upgrade may change this.
 */
export function isRegistryOmitted(
  cluster: Pick<HostedCluster, "capabilities" | "controlPlaneVersion" | "begunVersions">,
): boolean | undefined {
  if (!readCapabilityChoice(cluster.capabilities).disabled.includes("ImageRegistry")) return false;
  const releases = [cluster.controlPlaneVersion, ...cluster.begunVersions].flatMap(
    (version) => parseRelease(version) ?? [],
  );
  const omit = releases.map((release) => compareReleases(release, supportedSince("ImageRegistry")) >= 0);
  if (!omit.includes(false)) return true;
  return omit.includes(true) ? undefined : false;
}

/** The capabilities in the guest's ClusterVersion. */
export type GuestCapabilities = Readonly<{
  baseline: string | undefined;
  additional: readonly string[];
  /** Empty until the guest has reported. */
  known: readonly string[];
  enabled: readonly string[];
}>;

const stringsIn = (value: unknown): readonly string[] => (isStringList(value) ? value : []);

/** Reads the guest's ClusterVersion. Missing and mistyped fields count as empty. */
export function readGuestCapabilities(clusterVersion: KubernetesObject): GuestCapabilities {
  const spec = fieldsOf(fieldsOf(clusterVersion.spec).capabilities);
  const status = fieldsOf(clusterVersion.status);
  const reported = fieldsOf(status.capabilities);
  return {
    baseline: typeof spec.baselineCapabilitySet === "string" ? spec.baselineCapabilitySet : undefined,
    additional: stringsIn(spec.additionalEnabledCapabilities),
    known: stringsIn(reported.knownCapabilities),
    enabled: stringsIn(reported.enabledCapabilities),
  };
}

/** Returns the enabled capabilities that the ClusterVersion does not request. Empty unless the baseline is `None`. */
export function implicitlyEnabled({ baseline, enabled, additional }: GuestCapabilities): readonly string[] {
  return baseline === "None" ? enabled.filter((name) => !additional.includes(name)).sort() : [];
}

/** Returns the differences between `written` and the guest's ClusterVersion, one sentence each. */
export function capabilityDifferences(
  written: ClusterCapabilities | null,
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
