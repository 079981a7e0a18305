import { fieldIssue, fieldWarning, type Issue, type IssueObject, issueObject } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { bytesPerGib } from "../../precache-model/precache-plan.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";
import { printable, sentence } from "../../text/redact.ts";
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

/** A size in whole GiB, rounded up, without a unit; or the problem, in Go's words for TALM's errors. */
export type SpaceRequired = Readonly<{ ok: true; gib: string }> | Readonly<{ ok: false; message: string }>;

/** The range of int64; on amd64 a greater number becomes negative. */
const maxInteger = 2 ** 63;
/** Go allows an underscore between digits. */
const decimalNumber =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
/** Other values that Go reads as numbers. */
const specialNumber = /^[+-]?(?:inf|infinity|nan)$/i;

const notPositive = "invalid value for spaceRequired, must be a number greater than 0";

/** The letters of a unit as powers of 1000 or 1024. */
const powers: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4, p: 5 };

function refused(message: string): SpaceRequired {
  return { ok: false, message };
}

function parseFloat64(text: string): number | string {
  const quoted = JSON.stringify(text);
  if (specialNumber.test(text)) return Number(/nan/i.test(text) ? Number.NaN : Number.POSITIVE_INFINITY);
  if (!decimalNumber.test(text)) return sentence`strconv.ParseFloat: parsing ${quoted}: invalid syntax`;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : sentence`strconv.ParseFloat: parsing ${quoted}: value out of range`;
}

/** A unit is empty, `b`, or a letter, optionally with `b`, `i` or `ib`. Undefined for any other. */
function factorOf(unit: string, base: 1000 | 1024): number | undefined {
  if (unit === "" || unit === "b") return 1;
  const power = ownValue(powers, unit.charAt(0));
  const rest = unit.slice(1);
  const isUnit = ["", "b", "i", "ib"].includes(rest);
  return power !== undefined && isUnit ? base ** power : undefined;
}

/**
 * Reads `spaceRequired` as TALM does: a decimal number, at most one space, a unit (`GiB` is binary, `GB` and `G` are
 * decimal, no unit means bytes); and also the Kubernetes units `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, which the design document
 * uses. Spaces at the ends are ignored.
 */
export function parseSpaceRequired(given: string): SpaceRequired {
  // Redacted before parsing: an error quotes a part, in which a credential would not be recognized.
  const text = printable(given.trim());
  // A lower-case i anywhere makes the units binary: 30GIB is decimal.
  const base = text.includes("i") ? 1024 : 1000;
  const end = Math.max(...[..."0123456789. "].map((character) => text.lastIndexOf(character)));
  if (end < 0) return refused(sentence`invalid size: '${text}'`);
  const value = parseFloat64(text[end] === " " ? text.slice(0, end) : text.slice(0, end + 1));
  if (typeof value === "string") return refused(value);
  if (value < 0) return refused(sentence`invalid size: '${text}'`);

  const unit = text.slice(end + 1);
  const lower = unit.toLowerCase();
  const factor = Buffer.byteLength(unit) > 3 ? undefined : factorOf(lower, base);
  if (factor === undefined)
    return refused(sentence`invalid suffix: '${Buffer.byteLength(unit) > 3 ? unit : lower}'`);
  const bytes = Math.trunc(value * factor);
  if (!(bytes < maxInteger)) return refused(notPositive);
  return { ok: true, gib: String(Math.ceil(bytes / bytesPerGib)) };
}

/** The fields of a policy that may be overridden: `standard` as documented, `hardened` as TALM since July 2026. */
export type Profile = "standard" | "hardened";

const defaultSpace = "35 GiB";

/** The sources of a spec in descending precedence. */
export type ValueSources = Readonly<{
  config: ConfigValues;
  configObject: IssueObject;
  configMap: KubernetesObject | undefined;
  fromPolicies: Pick<PrecachingSpec, "platformImage" | "operatorsIndexes" | "operatorsPackagesAndChannels">;
}>;

/** The merged spec, or the problem of an invalid space in TALM's words; issues in either case. */
export type MergedValues = Readonly<{ issues: readonly Issue[] }> &
  (
    | Readonly<{ ok: true; spec: PrecachingSpec; preCacheImage: string }>
    | Readonly<{ ok: false; message: string }>
  );

/** Records a warning for each value from the deprecated ConfigMap. */
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

/** An entry may have the name of a version after package and channel. The last channel of a package counts. */
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

/** Merges the sources of a spec: each field comes from its first source that has it, never from several together. */
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
  const space = parseSpaceRequired(spaceText);

  const images = isStandard
    ? [
        ...overrideImageIssues(config, configObject),
        ...(sources.configMap ? configMapImageIssues(sources.configMap) : []),
      ]
    : [];
  const issues = [...pick.issues, ...(isStandard ? [] : ignoredOverrides(sources)), ...images];
  const origin = spaceOrigin(sources);
  if (!space.ok) {
    const invalid = fieldIssue(origin.object, origin.path, spaceText, {
      code: "SpaceRequiredInvalid",
      message: space.message,
      remedy: 'Write a number and a unit, for instance "45 GiB".',
    });
    return { ok: false, message: space.message, issues: [...issues, invalid] };
  }
  const spec: PrecachingSpec = {
    platformImage,
    operatorsIndexes,
    operatorsPackagesAndChannels,
    excludePrecachePatterns: patternLines(patterns),
    additionalImages: config.additionalImages,
    spaceRequired: space.gib,
  };
  const hints = [
    ...spaceIssues(spaceText, space.gib, origin),
    ...packageIssues(operatorsPackagesAndChannels, configObject),
    ...indexIssues(spec, configObject),
  ];
  return { ok: true, preCacheImage, issues: [...issues, ...hints], spec };
}

/** Returns why a merged spec cannot be pre-cached, in TALM's words; undefined for a consistent one. */
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
