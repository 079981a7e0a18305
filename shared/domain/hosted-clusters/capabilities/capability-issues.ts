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
import { newestKnownRelease } from "../facts/openshift-api.ts";
import {
  type CapabilityChoice,
  capabilitySet,
  capabilitySince,
  type GuestCapabilities,
  implicitlyEnabled,
} from "./cluster-version-capabilities.ts";
import type { CapabilityUpgrade } from "./upgrade.ts";

type CapabilityContext = Readonly<{
  hostedCluster: KubernetesObject;
  choice: CapabilityChoice;
  version?: string | undefined;
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

function warningAbout(
  context: CapabilityContext,
  names: readonly string[],
  problem: () => Problem & Partial<Pick<Issue, "path">>,
): readonly Issue[] {
  return names.length === 0 ? [] : [warning(context, { ...problem(), value: names })];
}

function releaseWarnings(context: CapabilityContext): readonly Issue[] {
  const { version } = context;
  if (version === undefined) {
    return [
      warning(context, {
        code: "ReleaseUnknown",
        path: "spec.release.image",
        message: sentence`the release is not known, nor are its catalogs; the capabilities are those of ${newest}, the newest that hubrelay knows`,
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
  return (["disabled", "enabled"] as const).flatMap((verb) =>
    (context.choice[verb] ?? []).flatMap((name, index): Issue[] => {
      if (!capabilityNames.includes(name) || !tooOld(name)) return [];
      return [
        warning(context, {
          code: "CapabilityNotSupported",
          path: `${path}.${verb}[${index}]`,
          value: name,
          message: sentence`${name} can be ${verb} from OpenShift ${releaseText(supportedSince(name))} on, and this cluster has ${context.version}`,
          remedy: "Expect parts of it to be present anyway, or create the cluster with a newer release.",
        }),
      ];
    }),
  );
}

function guestWarnings(context: CapabilityContext): readonly Issue[] {
  const { guest, choice } = context;
  if (!guest) return [];
  const unknownNames = guest.known.filter((name) => capabilitySince(name) === undefined).sort();
  // Capabilities that are off by default in the newest release count only if the user disabled them.
  const kept = implicitlyEnabled(guest).filter(
    (name) => !neverRequested.includes(name) || choice.disabled?.includes(name),
  );
  const refused = kept.filter((name) => choice.disabled?.includes(name));
  return [
    ...warningAbout(context, unknownNames, () => ({
      code: "CapabilityNotInTable",
      message: sentence`the guest knows ${list(unknownNames)}, which hubrelay does not`,
      remedy: "It stays off; use a newer hubrelay.",
    })),
    ...warningAbout(context, kept, () => ({
      code: "ImplicitlyEnabled",
      message:
        sentence`${list(kept)} ${kept.length === 1 ? "is" : "are"} on in the guest without being requested` +
        (refused.length === 0 ? "" : sentence`, ${list(refused)} although disabled`),
      remedy: "The cluster-version operator keeps on what was installed; only a new cluster is without it.",
    })),
  ];
}

/** Warns about an unknown release or capability, an unsupported request, and capabilities that were not requested. */
export function capabilityIssues(context: CapabilityContext): readonly Issue[] {
  return [...releaseWarnings(context), ...unsupported(context), ...guestWarnings(context)];
}

/** Warns about disabled capabilities that another release enables or keeps, and about an unknown release. */
export function upgradeIssues(
  hostedCluster: KubernetesObject,
  choice: CapabilityChoice,
  upgrade: CapabilityUpgrade,
): readonly Issue[] {
  const { to, from, comeBack } = upgrade;
  // Capabilities that are off by default need no warning: the user did not disable them.
  const stayEnabled = upgrade.stayEnabled.filter((name) => choice.disabled?.includes(name));
  const context: CapabilityContext = { hostedCluster, choice, version: to };
  return [
    ...releaseWarnings(context),
    ...warningAbout(context, stayEnabled, () => ({
      code: "StaysEnabled",
      path: `${path}.disabled`,
      message: sentence`${list(stayEnabled)} ${stayEnabled.length === 1 ? "stays" : "stay"} on with ${to}: what ${from} has installed is not removed`,
      remedy: sentence`Only a cluster created with ${releaseText(newestOf(stayEnabled, to))} or newer is without it.`,
    })),
    ...warningAbout(context, comeBack, () => ({
      code: "BelowCapabilityRelease",
      path: `${path}.disabled`,
      message: sentence`${list(comeBack)} cannot be disabled in ${to}: there it is always installed`,
      remedy: sentence`Stay at ${releaseText(newestOf(comeBack))} or newer.`,
    })),
  ];
}

function newestOf(names: readonly string[], atLeast?: string): Release {
  const since = names.flatMap((name) => [capabilitySince(name) ?? newestKnownRelease, supportedSince(name)]);
  const least = parseRelease(atLeast);
  return [...since, ...(least ? [least] : [])].reduce((a, b) => (compareReleases(a, b) < 0 ? b : a));
}
