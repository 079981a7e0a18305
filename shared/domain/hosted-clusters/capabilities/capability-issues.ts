import { fieldIssue, type Issue, type Problem } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  compareReleases,
  parseRelease,
  type Release,
  releaseText,
} from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { capabilityNames } from "../cluster/hosted-cluster-spec.ts";
import { capabilityForms, supportedSince } from "../facts/hypershift.ts";
import {
  type CapabilityDependency,
  capabilityDependencies,
  newestKnownRelease,
} from "../facts/openshift-api.ts";
import {
  type CapabilityChoice,
  capabilitySet,
  capabilitySince,
  enabledCapabilities,
  type GuestCapabilities,
  implicitlyEnabled,
} from "./cluster-version-capabilities.ts";
import type { CapabilityUpgrade } from "./upgrade.ts";

/** An enabled capability, and a disabled one that it requires. */
type MissingDependency = Readonly<{ capability: string; requires: string; message: string }>;

function applies({ since, until }: CapabilityDependency, release: Release | undefined): boolean {
  if (!release) return until === undefined;
  return compareReleases(since, release) <= 0 && (!until || compareReleases(release, until) < 0);
}

/**
 * Returns the missing dependencies of a ClusterVersion with this `additionalEnabledCapabilities` and the baseline `None`,
 * in the API server's words. `implicitlyOn` are the guest's `status.capabilities.enabledCapabilities`, which count too.
 * Without a release the rules of the newest one apply.
 */
export function missingDependencies(
  additional: readonly string[],
  implicitlyOn: readonly string[],
  release: Release | undefined,
): readonly MissingDependency[] {
  const on = new Set([...additional, ...implicitlyOn]);
  return capabilityDependencies
    .filter(
      (rule) => additional.includes(rule.capability) && !on.has(rule.requires) && applies(rule, release),
    )
    .map(({ capability, requires }) => ({
      capability,
      requires,
      message:
        sentence`the \`${capability}\` capability requires the \`${requires}\` capability, which is neither explicitly or ` +
        sentence`implicitly enabled in this cluster, please enable the \`${requires}\` capability`,
    }));
}

type CapabilityContext = Readonly<{
  hostedCluster: KubernetesObject;
  choice: CapabilityChoice;
  version?: string | undefined;
  /** `status.capabilities.knownCapabilities` of the guest, as in `CapabilityInput`. */
  knownToGuest?: readonly string[] | undefined;
  /** Absent if the guest was not read. */
  guest?: GuestCapabilities | undefined;
}>;

const newest = releaseText(newestKnownRelease);
const neverRequested = capabilityForms.at(-1)?.offByDefault ?? [];

const path = "spec.capabilities";
const list = (names: readonly string[]) => names.join(", ");

function warning(
  { hostedCluster }: Pick<CapabilityContext, "hostedCluster">,
  problem: Problem & Partial<Pick<Issue, "path" | "value">>,
): Issue {
  return fieldIssue(hostedCluster, problem.path ?? path, problem.value, { ...problem, severity: "warning" });
}

function releaseWarnings(context: CapabilityContext): readonly Issue[] {
  const { version } = context;
  if (version === undefined) {
    return [
      warning(context, {
        code: "ReleaseUnknown",
        path: "spec.release.image",
        message: sentence`the release is not known, so the capabilities are those of ${newest}, the newest that hubrelay knows`,
        remedy: "Set --release-version, or wait until status.version reports it.",
      }),
    ];
  }
  if (capabilitySet(parseRelease(version)).basis === "release") return [];
  return [
    warning(context, {
      code: "ReleaseNotInTable",
      path: "spec.release.image",
      value: version,
      message: sentence`hubrelay knows the capabilities of releases up to ${newest}, and uses those of ${newest} for ${version}`,
      remedy: "What is new in the release stays off until hubrelay knows it; use a newer hubrelay.",
    }),
  ];
}

function unsupported(context: CapabilityContext): readonly Issue[] {
  const release = parseRelease(context.version);
  if (!release) return [];
  const tooOld = (name: string) => compareReleases(release, supportedSince(name)) < 0;
  const disabled = (context.choice.disabled ?? []).map((name, index) => ({
    name,
    path: `${path}.disabled[${index}]`,
    verb: "disabled",
  }));
  const enabled = (context.choice.enabled ?? []).map((name, index) => ({
    name,
    path: `${path}.enabled[${index}]`,
    verb: "enabled",
  }));
  return [...disabled, ...enabled]
    .filter(({ name }) => capabilityNames.includes(name) && tooOld(name))
    .map(({ name, path, verb }) =>
      warning(context, {
        code: "CapabilityNotSupported",
        path,
        value: name,
        message: sentence`${name} can be ${verb} from OpenShift ${releaseText(supportedSince(name))} on, and this cluster has ${context.version}`,
        remedy: "Expect parts of it to be present anyway, or create the cluster with a newer release.",
      }),
    );
}

function dependencyErrors(context: CapabilityContext, implicitlyOn: readonly string[]): readonly Issue[] {
  const { hostedCluster } = context;
  const release = parseRelease(context.version);
  return missingDependencies(enabledCapabilities(context), implicitlyOn, release).map(
    ({ capability, requires, message }) =>
      fieldIssue(hostedCluster, path, capability, {
        code: "MissingDependency",
        message,
        remedy: sentence`Enable ${requires} or disable ${capability}; the guest's API server refuses the ClusterVersion.`,
      }),
  );
}

function guestWarnings(context: CapabilityContext): readonly Issue[] {
  const { guest, choice } = context;
  if (!guest) return [];
  const unknownNames = guest.known.filter((name) => capabilitySince(name) === undefined).sort();
  // Left out: capabilities that older releases installed, newer ones do not request and the user did not disable.
  const kept = implicitlyEnabled(guest).filter(
    (name) => !neverRequested.includes(name) || choice.disabled?.includes(name),
  );
  const refused = kept.filter((name) => choice.disabled?.includes(name));
  return [
    ...(unknownNames.length === 0
      ? []
      : [
          warning(context, {
            code: "CapabilityNotInTable",
            value: unknownNames,
            message: sentence`the guest knows ${list(unknownNames)}, which hubrelay does not`,
            remedy: "It stays off; use a newer hubrelay.",
          }),
        ]),
    ...(kept.length === 0
      ? []
      : [
          warning(context, {
            code: "ImplicitlyEnabled",
            value: kept,
            message:
              sentence`${list(kept)} ${kept.length === 1 ? "is" : "are"} on in the guest without being requested` +
              (refused.length === 0 ? "" : sentence`, ${list(refused)} although disabled`),
            remedy:
              "The cluster-version operator keeps on what was installed; only a new cluster is without it.",
          }),
        ]),
  ];
}

/** Reports missing dependencies as errors, since the guest's API server enforces them; everything else is a warning. */
export function capabilityIssues(context: CapabilityContext): readonly Issue[] {
  return [
    ...releaseWarnings(context),
    ...unsupported(context),
    ...dependencyErrors(context, context.guest?.enabled ?? []),
    ...guestWarnings(context),
  ];
}

/** Reports unexpected effects of an upgrade or downgrade, and values that the new release refuses. */
export function upgradeIssues(
  hostedCluster: KubernetesObject,
  choice: CapabilityChoice,
  upgrade: CapabilityUpgrade,
): readonly Issue[] {
  const { to, from, comeBack } = upgrade;
  // Capabilities that are off by default are left out: the user did not disable them.
  const stayEnabled = upgrade.stayEnabled.filter((name) => choice.disabled?.includes(name));
  const context: CapabilityContext = { hostedCluster, choice, version: to };
  return [
    ...releaseWarnings(context),
    ...dependencyErrors(context, upgrade.stayEnabled),
    ...(stayEnabled.length === 0
      ? []
      : [
          warning(context, {
            code: "StaysEnabled",
            path: `${path}.disabled`,
            value: stayEnabled,
            message: sentence`${list(stayEnabled)} ${stayEnabled.length === 1 ? "stays" : "stay"} on with ${to}: what ${from} has installed is not removed`,
            remedy: sentence`Only a cluster created with ${releaseText(newestOf(stayEnabled, to))} or newer is without it.`,
          }),
        ]),
    ...(comeBack.length === 0
      ? []
      : [
          warning(context, {
            code: "BelowCapabilityRelease",
            path: `${path}.disabled`,
            value: comeBack,
            message: sentence`${list(comeBack)} cannot be disabled in ${to}: there it is always installed`,
            remedy: sentence`Stay at ${releaseText(newestOf(comeBack))} or newer.`,
          }),
        ]),
  ];
}

/** Returns the first release from `atLeast` on in which all these capabilities can be disabled. */
function newestOf(names: readonly string[], atLeast?: string): Release {
  const since = names.flatMap((name) => [capabilitySince(name) ?? newestKnownRelease, supportedSince(name)]);
  const least = parseRelease(atLeast);
  return [...since, ...(least ? [least] : [])].reduce((a, b) => (compareReleases(a, b) < 0 ? b : a));
}
