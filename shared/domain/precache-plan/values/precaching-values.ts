import { fieldIssue, fieldWarning, type Issue, type IssueObject, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { bytesPerGib } from "../../precache-model/precache-plan.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";
import { sentence } from "../../text/redact.ts";
import { patternLines } from "./exclude-patterns.ts";
import {
  configMapImageIssues,
  deprecation,
  type OverrideKey,
  overrideImageIssues,
  overrideList,
  overrideText,
} from "./image-issues.ts";
import type { ConfigValues } from "./pre-caching-config.ts";

const sizePattern = /^([\d.]+(?:e[+-]?\d{1,3})?) ?(?:([kmgtp])i?)?b?$/i;
/** The first number of bytes that is too large for TALM, which counts bytes as int64. */
const maxInteger = 2 ** 63;

/**
 * Returns `spaceRequired` in whole GiB, rounded up; undefined for an invalid text. As in TALM, `30GiB` is binary,
 * `30GIB` is decimal, and a number without a unit is in bytes. TALM refuses `Gi`, which is accepted here because TALM's
 * design document has it.
 */
export function parseSpaceRequired(given: string): string | undefined {
  const text = given.trim();
  const [, number = "", letter = ""] = sizePattern.exec(text) ?? [];
  const power = "kmgtp".indexOf(letter.toLowerCase()) + 1;
  const factor = letter === "" ? 1 : (text.includes("i") ? 1024 : 1000) ** power;
  const bytes = number === "" ? Number.NaN : Math.trunc(Number(number) * factor);
  return bytes < maxInteger ? String(Math.ceil(bytes / bytesPerGib)) : undefined;
}

/** The rules for overrides: `standard` as TALM documents them, `hardened` as in TALM since July 2026. */
export type Profile = "standard" | "hardened";

const defaultSpace = "35 GiB";

/** Where the values of a spec come from, in descending precedence. */
export type ValueSources = Readonly<{
  config: ConfigValues;
  configObject: IssueObject;
  configMap: KubernetesObject | undefined;
  fromPolicies: Pick<PrecachingSpec, "platformImage" | "operatorsIndexes" | "operatorsPackagesAndChannels">;
}>;

/** The merged spec, or the problem if `spaceRequired` is invalid. */
export type MergedValues = Readonly<{ issues: readonly Issue[] }> &
  (
    | Readonly<{ ok: true; spec: PrecachingSpec; preCacheImage: string }>
    | Readonly<{ ok: false; message: string }>
  );

function picker({ configMap }: ValueSources) {
  const issues: Issue[] = [];
  const note = (key: OverrideKey) => {
    if (configMap) issues.push(deprecation(configMap, key));
  };
  return {
    issues,
    text(own: string, key: OverrideKey, otherwise: string): string {
      if (own !== "") return own;
      const overridden = overrideText(configMap, key);
      if (overridden === "") return otherwise;
      note(key);
      return overridden.trim();
    },
    list(own: readonly string[], key: OverrideKey, otherwise: readonly string[]): readonly string[] {
      if (own.length > 0) return own;
      const overridden = overrideList(configMap, key);
      if (!overridden) return otherwise;
      note(key);
      return overridden;
    },
  };
}

function ignoredOverrides({ config, configObject }: ValueSources): readonly Issue[] {
  const ignored = (["platformImage", "operatorsIndexes", "preCacheImage"] as const).filter(
    (field) => config[field].length > 0,
  );
  return ignored.map((field) =>
    fieldWarning(configObject, `spec.overrides.${field}`, config[field], {
      code: "OverrideIgnored",
      message: "The hardened profile takes this value from the managed policies only.",
      remedy: "Remove the field, or use the profile standard.",
    }),
  );
}

type Origin = Pick<Issue, "object" | "path">;

function spaceOrigin({ config, configObject, configMap }: ValueSources): Origin {
  return config.spaceRequired === "" && configMap
    ? { object: issueObject(configMap), path: 'data["precache.spaceRequired"]' }
    : { object: configObject, path: "spec.spaceRequired" };
}

function spaceIssues(text: string, gib: string, { object, path }: Origin): readonly Issue[] {
  if (!/^[\d.\s]+b?$/i.test(text) || Number(gib) > 1) return [];
  return [
    fieldWarning(object, path, text, {
      code: "SpaceInBytes",
      message: sentence`Without a unit this is ${text.trim()} bytes, which is rounded up to ${gib} GiB.`,
      remedy: 'Write a unit, for instance "45 GiB".',
    }),
  ];
}

function packageIssues(entries: readonly string[], object: IssueObject): readonly Issue[] {
  const issue = (value: string, message: string, remedy: string) =>
    fieldWarning(object, "spec.overrides.operatorsPackagesAndChannels", value, {
      code: "PackageEntryInvalid",
      message,
      remedy,
    });
  const channels = new Map<string, string>();
  return entries.flatMap((entry): Issue[] => {
    const [name = "", channel = "", ...more] = entry.split(":").map((part) => part.trim());
    if (name === "" || channel === "" || more.length > 1 || more.includes(""))
      return [
        issue(
          entry,
          "Not a package and a channel separated by a colon; it is skipped.",
          'Write it as "package:channel".',
        ),
      ];
    const earlier = channels.get(name);
    channels.set(name, channel);
    return earlier === undefined || earlier === channel
      ? []
      : [
          issue(
            entry,
            sentence`The package is named before with channel ${earlier}; only the last channel counts.`,
            "Name each package once.",
          ),
        ];
  });
}

function indexIssues(
  { operatorsIndexes, operatorsPackagesAndChannels }: PrecachingSpec,
  object: IssueObject,
) {
  if (operatorsIndexes.length > 0 || operatorsPackagesAndChannels.length === 0) return [];
  const issue = fieldWarning(object, "spec.overrides.operatorsIndexes", operatorsPackagesAndChannels, {
    code: "PackagesWithoutIndex",
    message: "Packages are named, but no index that contains them, so no operator is pre-cached.",
    remedy: "Manage a policy with the CatalogSource, or name the index image.",
  });
  return [issue];
}

/** Returns the spec from these sources. Each field has the value of the first source that sets it. */
export function mergeValues(sources: ValueSources, profile: Profile): MergedValues {
  const { config, configObject, fromPolicies } = sources;
  const pick = picker(sources);
  const isStandard = profile === "standard";
  const platformImage = isStandard
    ? pick.text(config.platformImage, "platform.image", fromPolicies.platformImage)
    : fromPolicies.platformImage;
  const operatorsIndexes = isStandard
    ? pick.list(config.operatorsIndexes, "operators.indexes", fromPolicies.operatorsIndexes)
    : fromPolicies.operatorsIndexes;
  const operatorsPackagesAndChannels = pick.list(
    config.operatorsPackagesAndChannels,
    "operators.packagesAndChannels",
    fromPolicies.operatorsPackagesAndChannels,
  );
  const patterns = pick.list(config.excludePrecachePatterns, "excludePrecachePatterns", []);
  const preCacheImage = isStandard ? pick.text(config.preCacheImage, "precache.image", "") : "";
  const spaceText = pick.text(config.spaceRequired, "precache.spaceRequired", defaultSpace);
  const gib = parseSpaceRequired(spaceText);

  const images = isStandard
    ? [
        ...overrideImageIssues(config, configObject),
        ...(sources.configMap ? configMapImageIssues(sources.configMap) : []),
      ]
    : [];
  const issues = [...pick.issues, ...(isStandard ? [] : ignoredOverrides(sources)), ...images];
  const origin = spaceOrigin(sources);
  if (gib === undefined) {
    const message = sentence`'${spaceText.trim()}' is not a number and a unit of bytes`;
    const invalid = fieldIssue(origin.object, origin.path, spaceText, {
      code: "SpaceRequiredInvalid",
      message,
      remedy: 'Write a number and a unit, for instance "45 GiB".',
    });
    return { ok: false, message, issues: [...issues, invalid] };
  }
  const spec: PrecachingSpec = {
    platformImage,
    operatorsIndexes,
    operatorsPackagesAndChannels,
    excludePrecachePatterns: patternLines(patterns),
    additionalImages: config.additionalImages,
    spaceRequired: gib,
  };
  const hints = [
    ...spaceIssues(spaceText, gib, origin),
    ...packageIssues(operatorsPackagesAndChannels, configObject),
    ...indexIssues(spec, configObject),
  ];
  return { ok: true, preCacheImage, issues: [...issues, ...hints], spec };
}

/** Returns why a merged spec cannot be pre-cached, in TALM's words; undefined if it can be. */
export function inconsistency({
  platformImage,
  operatorsIndexes,
  operatorsPackagesAndChannels,
  additionalImages,
}: PrecachingSpec): string | undefined {
  if (operatorsIndexes.length > 0 && operatorsPackagesAndChannels.length === 0)
    return "inconsistent precaching configuration: olm index provided, but no packages";
  if (operatorsIndexes.length === 0 && platformImage === "" && additionalImages.length === 0)
    return "inconsistent precaching configuration: no software spec provided";
  return undefined;
}
