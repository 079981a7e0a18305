import type { Issue } from "../../issues/issue.ts";
import { issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareReleases, parseRelease, type Release, releaseText } from "../cluster/release.ts";
import { capabilitySet, capabilitySince, newestKnownRelease } from "./capability-sets.ts";
import { missingDependencies } from "./dependencies.ts";
import { type GuestCapabilities, implicitlyEnabled } from "./guest-capabilities.ts";
import type { CapabilityChoice, ClusterCapabilities } from "./resolve.ts";
import type { CapabilityUpgrade } from "./upgrade.ts";

/** What is known about a HostedCluster's capabilities when they are judged. */
export type JudgedCapabilities = Readonly<{
  hostedCluster: KubernetesObject;
  choice: CapabilityChoice;
  /** The data plane's version. */
  version?: string | undefined;
  capabilities: ClusterCapabilities;
  /** Absent when the guest was not read. */
  guest?: GuestCapabilities | undefined;
}>;

const newest = releaseText(newestKnownRelease);

/** From HyperShift's release branches: which of its control planes knows how to leave a component out. */
function supportedSince(name: string): Release {
  return name === "ImageRegistry" ? { major: 4, minor: 18 } : { major: 4, minor: 20 };
}

const path = "spec.capabilities";
const list = (names: readonly string[]) => names.join(", ");

function warning(
  { hostedCluster }: Pick<JudgedCapabilities, "hostedCluster">,
  issue: Pick<Issue, "code" | "message" | "remedy"> & Partial<Pick<Issue, "path" | "value">>,
): Issue {
  return { severity: "warning", object: issueObject(hostedCluster), path, value: undefined, ...issue };
}

function releaseWarnings(judged: JudgedCapabilities): readonly Issue[] {
  const { version } = judged;
  if (version === undefined) {
    return [
      warning(judged, {
        code: "ReleaseUnknown",
        path: "spec.release.image",
        message: `the release is not known, so the capabilities are those of ${newest}, the newest that hubrelay knows`,
        remedy: "Give --release-version, or wait until status.version tells it.",
      }),
    ];
  }
  if (capabilitySet(parseRelease(version)).basis === "release") return [];
  return [
    warning(judged, {
      code: "ReleaseNotInTable",
      path: "spec.release.image",
      value: version,
      message: `hubrelay knows the capabilities of releases up to ${newest}, and takes those of ${newest} for ${version}`,
      remedy: "What is new in the release stays off until hubrelay knows it; use a newer hubrelay.",
    }),
  ];
}

function unsupported(judged: JudgedCapabilities): readonly Issue[] {
  const release = parseRelease(judged.version);
  if (!release) return [];
  const tooOld = (name: string) => compareReleases(release, supportedSince(name)) < 0;
  const disabled = (judged.choice.disabled ?? []).map((name, index) => ({
    name,
    path: `${path}.disabled[${index}]`,
    verb: "disabled",
  }));
  const enabled = (judged.choice.enabled ?? []).map((name, index) => ({
    name,
    path: `${path}.enabled[${index}]`,
    verb: "enabled",
  }));
  return [...disabled, ...enabled]
    .filter(({ name }) => capabilitySince(name) !== undefined && tooOld(name))
    .map(({ name, path, verb }) =>
      warning(judged, {
        code: "CapabilityNotSupported",
        path,
        value: name,
        message: `${name} can be ${verb} from OpenShift ${releaseText(supportedSince(name))} on, and this cluster has ${judged.version}`,
        remedy: "Expect parts of it to be there all the same, or create the cluster with a newer release.",
      }),
    );
}

function dependencyErrors(judged: JudgedCapabilities): readonly Issue[] {
  const { hostedCluster, capabilities, version, guest } = judged;
  const additional = capabilities.additionalEnabledCapabilities ?? [];
  const release = parseRelease(version);
  return missingDependencies(additional, guest?.enabled ?? [], release).map(
    ({ capability, requires, message }) => ({
      code: "MissingDependency",
      severity: "error",
      object: issueObject(hostedCluster),
      path,
      value: capability,
      message,
      remedy: `Enable ${requires} or disable ${capability}; the guest's API server refuses the ClusterVersion.`,
    }),
  );
}

function guestWarnings(judged: JudgedCapabilities): readonly Issue[] {
  const { guest, choice } = judged;
  if (!guest) return [];
  const unheardOf = guest.known.filter((name) => capabilitySince(name) === undefined).sort();
  const kept = implicitlyEnabled(guest);
  const refused = kept.filter((name) => choice.disabled?.includes(name));
  return [
    ...(unheardOf.length === 0
      ? []
      : [
          warning(judged, {
            code: "CapabilityNotInTable",
            value: unheardOf,
            message: `the guest knows ${list(unheardOf)}, which hubrelay does not`,
            remedy: "It stays off; use a newer hubrelay.",
          }),
        ]),
    ...(kept.length === 0
      ? []
      : [
          warning(judged, {
            code: "ImplicitlyEnabled",
            value: kept,
            message:
              `${list(kept)} ${kept.length === 1 ? "is" : "are"} on in the guest without being asked for` +
              (refused.length === 0 ? "" : `, ${list(refused)} although disabled`),
            remedy:
              "The cluster-version operator keeps on what was installed; only a new cluster is without it.",
          }),
        ]),
  ];
}

/**
 * What is to be said about a HostedCluster's capabilities: a dependency that the guest's API server insists on is
 * an error, everything else a warning.
 */
export function capabilityIssues(judged: JudgedCapabilities): readonly Issue[] {
  return [
    ...releaseWarnings(judged),
    ...unsupported(judged),
    ...dependencyErrors(judged),
    ...guestWarnings(judged),
  ];
}

/** What an upgrade or downgrade does that its owner may not expect, and what the new release refuses. */
export function upgradeIssues(
  hostedCluster: KubernetesObject,
  choice: CapabilityChoice,
  upgrade: CapabilityUpgrade,
): readonly Issue[] {
  const { to, from, capabilities, stayEnabled, comeBack } = upgrade;
  const judged: JudgedCapabilities = { hostedCluster, choice, version: to, capabilities };
  return [
    ...releaseWarnings(judged),
    ...dependencyErrors(judged),
    ...(stayEnabled.length === 0
      ? []
      : [
          warning(judged, {
            code: "StaysEnabled",
            path: `${path}.disabled`,
            value: stayEnabled,
            message: `${list(stayEnabled)} ${stayEnabled.length === 1 ? "stays" : "stay"} on with ${to}: what ${from ?? "the guest"} has installed is not removed`,
            remedy: "Only a cluster created with the new release is without it.",
          }),
        ]),
    ...(comeBack.length === 0
      ? []
      : [
          warning(judged, {
            code: "BelowCapabilityRelease",
            path: `${path}.disabled`,
            value: comeBack,
            message: `${list(comeBack)} cannot be disabled in ${to}: there it is always installed`,
            remedy: `Stay at ${releaseText(newestOf(comeBack))} or newer.`,
          }),
        ]),
  ];
}

function newestOf(names: readonly string[]): Release {
  const since = names.map((name) => capabilitySince(name) ?? newestKnownRelease);
  return since.reduce((a, b) => (compareReleases(a, b) < 0 ? b : a));
}
