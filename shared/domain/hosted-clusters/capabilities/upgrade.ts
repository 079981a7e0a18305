import { parseRelease } from "../../openshift/releases/release.ts";
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
  /** The current version; null if unknown. */
  from: string | null;
  to: string;
  /** `spec.capabilities` of the new release's ClusterVersion; null if its control plane leaves the field out. */
  capabilities: ClusterCapabilities | null;
  /** Capabilities that the new release turns on. */
  gains: readonly string[];
  /** Enabled capabilities that the new release no longer has. */
  loses: readonly string[];
  /** Capabilities that stay enabled although they are disabled or off by default: an upgrade removes no component. */
  stayEnabled: readonly string[];
  /** Capabilities that the cluster disables but the new release always installs. */
  comeBack: readonly string[];
}>;

/** The capabilities that a HostedCluster asks for, its current version if known, and the version to upgrade to. */
export type UpgradeInput = Readonly<{ choice: CapabilityChoice; from?: string | undefined; to: string }>;

/**
 * Returns how a hosted cluster's capabilities change when its release becomes `to`. An upgrade disables nothing that
 * runs in the guest: enabled capabilities stay enabled, and so do components that become capabilities.
 */
export function upgradeCapabilities({ choice, from, to }: UpgradeInput): CapabilityUpgrade {
  const before = parseRelease(from);
  const after = parseRelease(to);
  const known = capabilitySet(after).names;
  const knownBefore = new Set(capabilitySet(before ?? after).names);
  const disabled = new Set((choice.disabled ?? []).filter((name) => !choice.enabled?.includes(name)));

  const wanted = new Set(enabledCapabilities({ choice, version: to }));
  // An unknown current release counts as the new one; otherwise existing capabilities would be reported as new.
  const enabledNow = enabledCapabilities({ choice, version: before ? from : to });
  // A component that is not a capability yet is installed, even if it is disabled.
  const isInstalled = (name: string) =>
    enabledNow.includes(name) || (disabled.has(name) && !knownBefore.has(name));
  const stayEnabled = known.filter((name) => isInstalled(name) && (disabled.has(name) || !wanted.has(name)));
  const comeBack = [...disabled].filter((name) =>
    known.includes(name) ? wanted.has(name) && !isInstalled(name) : capabilitySince(name) !== undefined,
  );
  const on = new Set([...wanted, ...stayEnabled, ...comeBack]);
  return {
    from: from ?? null,
    to,
    capabilities: writtenCapabilities({ choice, version: to }),
    gains: [...on].filter((name) => !isInstalled(name)).sort(),
    loses: enabledNow.filter((name) => !on.has(name)),
    stayEnabled,
    comeBack: comeBack.sort(),
  };
}
