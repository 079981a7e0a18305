import { compareReleases, parseRelease, type Release } from "../../openshift/releases/release.ts";
import {
  type CapabilityChoice,
  type ClusterCapabilities,
  capabilitySet,
  capabilitySince,
  enabledCapabilities,
  writtenCapabilities,
} from "./cluster-version-capabilities.ts";

/** The effect of another release on a hosted cluster's capabilities. Lists of names are sorted by code unit. */
export type CapabilityUpgrade = Readonly<{
  /** Null if the present version is unknown. */
  from: string | null;
  to: string;
  direction: "upgrade" | "downgrade" | "none" | "unknown";
  /** `spec.capabilities` of the ClusterVersion with the new release; null if its control plane leaves the field out. */
  capabilities: ClusterCapabilities | null;
  /** Capabilities that the new release turns on. */
  gains: readonly string[];
  /** On now and with the new release. */
  keeps: readonly string[];
  /** On now, and not a capability of the new release. */
  loses: readonly string[];
  /** Capabilities that the new release introduces, enabled. */
  appear: readonly string[];
  /** Disabled, and off with the new release as well. */
  stayDisabled: readonly string[];
  /** Disabled or off by default, but on: what the present release has installed is not removed. */
  stayEnabled: readonly string[];
  /** Capabilities that the new release introduces, disabled unless `enabled` names them. */
  stayOff: readonly string[];
  /** Capabilities that the cluster disables but the new release always installs. */
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
  // An unknown present release counts as the new one, so that no existing capability appears as new.
  const present = before ? from : to;
  const known = capabilitySet(after).names;
  const knownBefore = new Set(capabilitySet(before ?? after).names);
  const added = known.filter((name) => !knownBefore.has(name));
  const disabled = new Set((choice.disabled ?? []).filter((name) => !choice.enabled?.includes(name)));

  const wanted = new Set(enabledCapabilities({ choice, version: to }));
  const wantedNow = enabledCapabilities({ choice, version: present });
  const enabledNow = new Set(enabledInGuest?.length ? enabledInGuest : wantedNow);
  // A disabled component that is not a capability yet is installed.
  const isInstalled = (name: string) =>
    enabledNow.has(name) || (disabled.has(name) && !knownBefore.has(name));
  const stayEnabled = known.filter((name) => isInstalled(name) && (disabled.has(name) || !wanted.has(name)));
  const comeBack = [...disabled].filter((name) =>
    known.includes(name) ? wanted.has(name) && !isInstalled(name) : capabilitySince(name) !== undefined,
  );
  const on = new Set([...wanted, ...stayEnabled, ...comeBack]);
  const isOnNow = (name: string) => wantedNow.includes(name) || isInstalled(name);
  return {
    from: from ?? null,
    to,
    direction: directionOf(before, after),
    capabilities: writtenCapabilities({ choice, version: to }),
    gains: [...on].filter((name) => !isOnNow(name)).sort(),
    keeps: [...on].filter(isOnNow).sort(),
    loses: wantedNow.filter((name) => !on.has(name)),
    appear: added.filter((name) => wanted.has(name) && !stayEnabled.includes(name)),
    stayDisabled: known.filter((name) => disabled.has(name) && !on.has(name)),
    stayEnabled,
    stayOff: added.filter((name) => !wanted.has(name) && !disabled.has(name)),
    comeBack: comeBack.sort(),
  };
}
