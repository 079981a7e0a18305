import { parseRelease } from "../../openshift/releases/release.ts";
import {
  type CapabilityChoice,
  type ClusterCapabilities,
  capabilitySet,
  capabilitySince,
  enabledCapabilities,
  writtenCapabilities,
} from "./cluster-version-capabilities.ts";

/** How another release changes a hosted cluster's capabilities. Names are sorted by code unit. */
export type CapabilityUpgrade = Readonly<{
  from: string | null;
  to: string;
  /** `spec.capabilities` of the ClusterVersion after the upgrade; null if the new control plane omits the field. */
  capabilities: ClusterCapabilities | null;
  gains: readonly string[];
  loses: readonly string[];
  /** Capabilities that stay enabled although the user disables them or the new release has them off by default. */
  stayEnabled: readonly string[];
  /** Capabilities that the user disables, but that the new release always installs. */
  comeBack: readonly string[];
}>;

/** The requested capabilities, the cluster's current version (`from`), and its version after the upgrade (`to`). */
export type UpgradeInput = Readonly<{ choice: CapabilityChoice; from?: string | undefined; to: string }>;

/** Returns how the release `to` changes a hosted cluster's capabilities. An upgrade removes nothing from it. */
export function upgradeCapabilities({ choice, from, to }: UpgradeInput): CapabilityUpgrade {
  const before = parseRelease(from);
  const after = parseRelease(to);
  const known = capabilitySet(after).names;
  const knownBefore = new Set(capabilitySet(before ?? after).names);
  const disabled = new Set((choice.disabled ?? []).filter((name) => !choice.enabled?.includes(name)));

  const wanted = new Set(enabledCapabilities({ choice, version: to }));
  // If the current release is unknown, the new release is used for it, so that not every capability counts as gained.
  const enabledNow = enabledCapabilities({ choice, version: before ? from : to });
  // A component that is not yet a capability is always installed, even if the user disables it.
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
