import type { Release } from "../../openshift/releases/release.ts";

/** How the control plane of a release writes `spec.capabilities` of the guest's ClusterVersion. */
export type CapabilityForm = Readonly<{
  /** The first release with this form; it lasts until the next row. */
  since: Release;
  /** When the field is written. Without it, every capability of the release is on, whatever is disabled. */
  isWritten: "never" | "if ImageRegistry is disabled" | "always";
  /** The release with whose API the control plane was built, if that is older: it knows no newer names. */
  builtWith?: Release;
  /** Capabilities that are off unless `spec.capabilities.enabled` names them. */
  offByDefault: readonly string[];
  /** Whether the control plane reads `spec.capabilities.enabled`. */
  readsEnabled: boolean;
  /** Where the release says so; other releases of the row say the same. */
  source: Readonly<{ branch: string; file: string; line: number }>;
}>;

const writer = "control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go";
const calculation = "support/capabilities/hosted_control_plane_capabilities.go";

/**
 * From openshift/hypershift, the oldest release first. The names are those of `vCurrent` in
 * `vendor/github.com/openshift/api/config/v1/types_cluster_version.go` of each branch; release-4.18 has the API of May
 * 2024 (d899f8877d22), which knows what 4.17 knows.
 */
export const capabilityForms: readonly CapabilityForm[] = [
  {
    since: { major: 4, minor: 12 },
    isWritten: "never",
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.17", file: writer, line: 1159 },
  },
  {
    since: { major: 4, minor: 18 },
    isWritten: "if ImageRegistry is disabled",
    builtWith: { major: 4, minor: 17 },
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.18", file: writer, line: 1245 },
  },
  {
    since: { major: 4, minor: 19 },
    isWritten: "if ImageRegistry is disabled",
    offByDefault: [],
    readsEnabled: false,
    source: { branch: "release-4.19", file: writer, line: 1281 },
  },
  {
    since: { major: 4, minor: 20 },
    isWritten: "always",
    offByDefault: ["baremetal"],
    readsEnabled: true,
    source: { branch: "release-4.20", file: writer, line: 1389 },
  },
  {
    since: { major: 4, minor: 23 },
    isWritten: "always",
    offByDefault: ["ClusterAPI", "CompatibilityRequirements", "baremetal"],
    readsEnabled: true,
    source: { branch: "release-4.23", file: calculation, line: 72 },
  },
];
