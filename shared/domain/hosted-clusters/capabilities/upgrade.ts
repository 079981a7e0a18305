import { compareReleases, parseRelease, type Release } from "../../releases/release.ts";
import { offByDefault } from "../facts/hypershift.ts";
import { capabilitySet, capabilitySince } from "./capability-sets.ts";
import { type CapabilityChoice, type ClusterCapabilities, resolveCapabilities } from "./resolve.ts";

/** The effect of another release on a hosted cluster's capabilities. Lists of names are sorted by code unit. */
export type CapabilityUpgrade = Readonly<{
  /** Null if the present version is unknown. */
  from: string | null;
  to: string;
  direction: "upgrade" | "downgrade" | "none" | "unknown";
  /** The desired capabilities of the ClusterVersion with the new release. */
  capabilities: ClusterCapabilities;
  /** On with the new release and not now. */
  gains: readonly string[];
  /** On now and with the new release. */
  keeps: readonly string[];
  /** On now, and not a capability of the new release. */
  loses: readonly string[];
  /** New in the new release, and on. */
  appear: readonly string[];
  /** Disabled, and off with the new release as well. */
  stayDisabled: readonly string[];
  /** Disabled, but on: in the present release they are not capabilities, so the new one keeps them on. */
  stayEnabled: readonly string[];
  /** New in the new release, and off in hosted clusters unless `enabled` names them. */
  stayOff: readonly string[];
  /** Off now, but not capabilities in the older release, which always installs them. */
  comeBack: readonly string[];
}>;

/** The input of `upgradeCapabilities`. */
export type UpgradeInput = Readonly<{
  choice: CapabilityChoice;
  from?: string | undefined;
  to: string;
  /** `status.capabilities.enabledCapabilities` of the guest; undefined if the guest was not read. */
  enabledInGuest?: readonly string[] | undefined;
}>;

function directionOf(from: Release | undefined, to: Release | undefined): CapabilityUpgrade["direction"] {
  if (!from || !to) return "unknown";
  const order = compareReleases(from, to);
  return order === 0 ? "none" : order < 0 ? "upgrade" : "downgrade";
}

/**
 * Returns what changes in a hosted cluster's capabilities when its release becomes `to`. What runs in the guest is
 * never switched off: a component that becomes a capability stays on, and so does what the guest has enabled.
 */
export function upgradeCapabilities({ choice, from, to, enabledInGuest }: UpgradeInput): CapabilityUpgrade {
  const before = parseRelease(from);
  const after = parseRelease(to);
  const direction = directionOf(before, after);
  const known = new Set(capabilitySet(after).names);
  // An unknown present release counts as the new one, so that no existing capability appears as new.
  const knownBefore = new Set(capabilitySet(before ?? after).names);
  const disabled = new Set((choice.disabled ?? []).filter((name) => !choice.enabled?.includes(name)));
  const enabledNow = new Set(enabledInGuest);
  const added = [...known].filter((name) => !knownBefore.has(name));

  const capabilities = resolveCapabilities({ choice, version: to });
  const wanted = new Set(capabilities.additionalEnabledCapabilities ?? []);
  const isInstalled = (name: string) => added.includes(name) || enabledNow.has(name);
  const wantedNow =
    resolveCapabilities({ choice, version: before ? from : to }).additionalEnabledCapabilities ?? [];
  const disabledThere = [...disabled].filter((name) => known.has(name)).sort();
  const appear = added.filter((name) => wanted.has(name));
  const stayEnabled = disabledThere.filter(isInstalled);
  // A disabled component that is not a capability yet is installed.
  const isOff = (name: string) => knownBefore.has(name) && !enabledNow.has(name);
  const comeBack = [...disabled]
    .filter((name) => !known.has(name) && capabilitySince(name) !== undefined)
    .sort();
  return {
    from: from ?? null,
    to,
    direction,
    capabilities,
    gains: [...appear, ...comeBack.filter(isOff)].sort(),
    keeps: [
      ...wantedNow.filter((name) => wanted.has(name)),
      ...stayEnabled,
      ...comeBack.filter((name) => !isOff(name)),
    ].sort(),
    loses: wantedNow.filter((name) => !wanted.has(name)),
    appear,
    stayDisabled: disabledThere.filter((name) => !isInstalled(name)),
    stayEnabled,
    stayOff: added.filter((name) => offByDefault.includes(name) && !wanted.has(name)),
    comeBack,
  };
}
