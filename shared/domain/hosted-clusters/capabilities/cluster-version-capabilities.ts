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
  /** The release whose capabilities are used, e.g. `4.18`. */
  of: string;
  /** `release`: hubrelay knows the release; `newest`: a newer or unknown release gets the newest known set. */
  basis: "release" | "newest";
}>;

/** Returns all capabilities of a release; for a newer or undefined release, those of the newest known one. */
export function capabilitySet(release: Release | undefined): CapabilitySet {
  const isKnown = release !== undefined && compareReleases(release, newestKnownRelease) <= 0;
  const upTo = isKnown ? release : newestKnownRelease;
  const names = capabilitiesAddedBy.flatMap(([since, added]) =>
    compareReleases(since, upTo) <= 0 ? added : [],
  );
  return { names: names.sort(), of: releaseText(upTo), basis: isKnown ? "release" : "newest" };
}

/** Returns the release in which a component became a capability; undefined for an unknown name. */
export function capabilitySince(name: string): Release | undefined {
  return capabilitiesAddedBy.find(([, added]) => added.includes(name))?.[0];
}

/** `spec.capabilities` of a HostedCluster. */
export type CapabilityChoice = Readonly<{ enabled?: readonly string[]; disabled?: readonly string[] }>;

/** `spec.capabilities` of a hosted cluster's ClusterVersion. */
export type ClusterCapabilities = Readonly<{
  baselineCapabilitySet: "None";
  /** All enabled capabilities, sorted by code unit. HyperShift writes null if the guest knows none of them. */
  additionalEnabledCapabilities: readonly string[] | null;
}>;

/** The input that decides a hosted cluster's capabilities. */
export type CapabilityInput = Readonly<{
  choice: CapabilityChoice;
  /** The control plane's version, e.g. `4.18.3`; the newest known release when undefined or unreadable. */
  version?: string | undefined;
  /** The guest's `status.capabilities.knownCapabilities`. Capabilities that a non-empty list lacks are left out. */
  knownToGuest?: readonly string[] | undefined;
}>;

/** Returns how a release writes `spec.capabilities`, by default the newest; undefined for releases before 4.12. */
function formOf(release: Release | undefined): CapabilityForm | undefined {
  return capabilityForms.findLast(({ since }) => !release || compareReleases(since, release) <= 0);
}

function isWritten({ isWritten: when }: CapabilityForm, { disabled = [] }: CapabilityChoice): boolean {
  return when === "always" || (when !== "never" && disabled.includes("ImageRegistry"));
}

/**
 * Returns `spec.capabilities` of the guest's ClusterVersion as a release's control plane writes it; null if the control
 * plane omits the field. The list has the release's capabilities that are neither disabled nor off by default, plus the
 * `enabled` ones. Names that the guest does not know are left out.
 */
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

/** Returns a hosted cluster's enabled capabilities; all of the release if the control plane writes no list. */
export function enabledCapabilities(input: CapabilityInput): readonly string[] {
  const written = writtenCapabilities(input);
  if (!written) return capabilitySet(parseRelease(input.version)).names;
  return written.additionalEnabledCapabilities ?? [];
}

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** Reads `spec.capabilities`; values of the wrong type are ignored, because validation reports them. */
export function readCapabilityChoice(capabilities: unknown): Required<CapabilityChoice> {
  const { enabled, disabled } = fieldsOf(capabilities);
  return { enabled: names(enabled), disabled: names(disabled) };
}

/**
 * Reports whether the control plane omits the registry: ImageRegistry is disabled, and the control plane's release
 * supports that or is unknown. Undefined if, during an upgrade, only one of the two releases omits the registry.
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
  /** `spec.capabilities.additionalEnabledCapabilities`. */
  additional: readonly string[];
  /** `status.capabilities.knownCapabilities`; empty until the guest has reported. */
  known: readonly string[];
  /** `status.capabilities.enabledCapabilities`. */
  enabled: readonly string[];
}>;

const stringsIn = (value: unknown): readonly string[] => (isStringList(value) ? value : []);

/** Reads the guest's ClusterVersion `version`; missing and mistyped fields are empty. */
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

/** Returns the enabled capabilities that the ClusterVersion does not request; empty unless the baseline is `None`. */
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
