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
  /** `spec.capabilities` of the new release's ClusterVersion; null if its control plane leaves the field out. */
  capabilities: ClusterCapabilities | null;
  /** Enabled capabilities that the new release no longer has. */
  loses: readonly string[];
  /** Capabilities that the new release introduces, enabled. */
  appear: readonly string[];
  /** Disabled capabilities that stay off in the new release. */
  stayDisabled: readonly string[];
  /** Capabilities that are disabled or off by default but stay enabled: an upgrade removes no installed component. */
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
}>;

function directionOf(from: Release | undefined, to: Release | undefined): CapabilityUpgrade["direction"] {
  if (!from || !to) return "unknown";
  const order = compareReleases(from, to);
  return order === 0 ? "none" : order < 0 ? "upgrade" : "downgrade";
}

/**
 * Returns how a hosted cluster's capabilities change when its release becomes `to`. An upgrade removes nothing that is
 * installed: components that become capabilities stay enabled, and so do enabled capabilities.
 */
export function upgradeCapabilities({ choice, from, to }: UpgradeInput): CapabilityUpgrade {
  const before = parseRelease(from);
  const after = parseRelease(to);
  // An unknown present release counts as the new one; otherwise existing capabilities would be reported as new.
  const present = before ? from : to;
  const known = capabilitySet(after).names;
  const knownBefore = new Set(capabilitySet(before ?? after).names);
  const added = known.filter((name) => !knownBefore.has(name));
  const disabled = new Set((choice.disabled ?? []).filter((name) => !choice.enabled?.includes(name)));

  const wanted = new Set(enabledCapabilities({ choice, version: to }));
  const wantedNow = enabledCapabilities({ choice, version: present });
  // A disabled component that is not a capability yet is installed.
  const isInstalled = (name: string) =>
    wantedNow.includes(name) || (disabled.has(name) && !knownBefore.has(name));
  const stayEnabled = known.filter((name) => isInstalled(name) && (disabled.has(name) || !wanted.has(name)));
  const comeBack = [...disabled].filter((name) =>
    known.includes(name) ? wanted.has(name) && !isInstalled(name) : capabilitySince(name) !== undefined,
  );
  const on = new Set([...wanted, ...stayEnabled, ...comeBack]);
  return {
    from: from ?? null,
    to,
    direction: directionOf(before, after),
    capabilities: writtenCapabilities({ choice, version: to }),
    loses: wantedNow.filter((name) => !on.has(name)),
    appear: added.filter((name) => wanted.has(name) && !stayEnabled.includes(name)),
    stayDisabled: known.filter((name) => disabled.has(name) && !on.has(name)),
    stayEnabled,
    stayOff: added.filter((name) => !wanted.has(name) && !disabled.has(name)),
    comeBack: comeBack.sort(),
  };
}
