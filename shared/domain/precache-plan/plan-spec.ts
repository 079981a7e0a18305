import { tryParseImageReference } from "../images/image-reference.ts";
import { fieldWarning, hasErrors, type Issue } from "../issues/issue.ts";
import { displayName, namespaceOf } from "../kubernetes/object.ts";
import type { PrecachingSpec } from "../precache-model/precaching-spec.ts";
import { noWorkloadImage } from "../precache-model/workload-image.ts";
import { sentence } from "../text/redact.ts";
import { notDone, specIncomplete, specValid } from "./plan-conditions.ts";
import { consistencyIssues, type ReadSources, unplannedIssues } from "./plan-consistency.ts";
import { type Draft, finish, hold, type PlanResult, refuse } from "./plan-draft.ts";
import type { ManagedPolicies } from "./policies/managed-policies.ts";
import {
  type NoPlatformImage,
  platformImage,
  preflightIssues,
  releaseRemedy,
} from "./policies/platform-image.ts";
import { catalogValueIssues, verifiedPullIssues } from "./policies/policy-issues.ts";
import { type PolicySoftware, policySoftware } from "./policies/policy-software.ts";
import { type Config, findIn } from "./read-config.ts";
import { architectureIssues } from "./selection/selection-issues.ts";
import { excludePatternDoubt, type PatternDoubt } from "./values/exclude-patterns.ts";
import { overridesConfigMap } from "./values/image-issues.ts";
import { inconsistency, type MergedValues, mergeValues } from "./values/precaching-values.ts";

/** In characters; slightly less than the API server allows for the message of a condition. */
const maxMessageLength = 30_000;

/** Returns the errors among issues as one text, for the message of a condition. */
export function errorSummary(issues: readonly Issue[]): string {
  const text = issues
    .filter(({ severity }) => severity === "error")
    .map(
      ({ object, path, value, message }) =>
        sentence`${displayName(object)} ${path} ${JSON.stringify(value)}: ${message}`,
    )
    .join(" ");
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

function unusedIssues(software: PolicySoftware, merged: MergedValues): readonly Issue[] {
  const { operatorsIndexes, operatorsPackagesAndChannels } = merged.ok ? merged.spec : software;
  return [
    ...(operatorsIndexes === software.operatorsIndexes ? software.indexIssues : []),
    ...(operatorsPackagesAndChannels === software.operatorsPackagesAndChannels ? software.packageIssues : []),
  ];
}

function withoutUnmanaged(
  spec: PrecachingSpec,
  { operatorsIndexes, operatorsPackagesAndChannels, managedPackages, unmanagedIssues }: PolicySoftware,
): Readonly<{ spec: PrecachingSpec; issues: readonly Issue[] }> {
  const areOfPolicies =
    spec.operatorsIndexes === operatorsIndexes &&
    spec.operatorsPackagesAndChannels === operatorsPackagesAndChannels;
  // A spec with indexes or packages from an override may not need catalogs in the policies.
  if (!areOfPolicies || unmanagedIssues.length === 0) return { spec, issues: [] };
  return {
    spec: {
      ...spec,
      operatorsIndexes: managedPackages.length > 0 ? operatorsIndexes : [],
      operatorsPackagesAndChannels: managedPackages,
    },
    issues: unmanagedIssues,
  };
}

const patternIssueFields = {
  Empty: {
    code: "PatternEmpty",
    consequence: "It leaves out no image.",
    remedy: "Remove the entry.",
  },
  MatchesNothing: {
    code: "PatternMatchesNothing",
    consequence: "It leaves out no image.",
    remedy:
      'Write a part of "TAG$IMAGE" as a basic regular expression, such as vsphere, ^"aws or \\(azure\\|gcp\\).',
  },
  MatchesAll: {
    code: "PatternMatchesAll",
    consequence: "It leaves out the whole release.",
    remedy: "Name the images to leave out by more of their tag, such as aws-.",
  },
} as const satisfies Record<PatternDoubt["kind"], unknown>;

/** Returns warnings about exclude patterns that exclude no image or every image. */
export function patternIssues(
  patterns: readonly string[],
  placeOf: (index: number) => Pick<Issue, "object" | "path">,
): readonly Issue[] {
  return patterns.flatMap((pattern, index): readonly Issue[] => {
    const doubt = excludePatternDoubt(pattern);
    if (doubt === undefined) return [];
    const { code, consequence, remedy } = patternIssueFields[doubt.kind];
    const { object, path } = placeOf(index);
    const message = sentence`${doubt.message} ${consequence}`;
    return [fieldWarning(object, path, pattern, { code, message, remedy })];
  });
}

function issuesOfPatterns({ input }: Draft, { values, object }: Config, merged: MergedValues) {
  const ofConfig = values.excludePrecachePatterns;
  if (ofConfig.length > 0)
    return patternIssues(ofConfig, (index) => ({ object, path: `spec.excludePrecachePatterns[${index}]` }));
  const configMap = { kind: "ConfigMap", namespace: namespaceOf(input.cgu), name: overridesConfigMap };
  const place = { object: configMap, path: 'data["excludePrecachePatterns"]' };
  return merged.ok ? patternIssues(merged.spec.excludePrecachePatterns, () => place) : [];
}

/** The codes of errors that do not stop planning: the faulty part is left out, and the rest is pre-cached. */
const leftOut: ReadonlySet<Issue["code"]> = new Set(["AdditionalImageInvalid"]);

function refuseSpec(
  draft: Draft,
  message: string,
  reported: Pick<Issue, "code" | "path" | "remedy">,
): PlanResult {
  return refuse(draft, specIncomplete(message), { ...reported, value: undefined });
}

function refusedRelease(draft: Draft, release: NoPlatformImage): PlanResult {
  return refuseSpec(draft, release.message, {
    code: "InvalidPlatformImage",
    path: "spec.managedPolicies",
    remedy: releaseRemedy(
      release,
      "Correct the ClusterVersion in the managed policies; those that every cluster complies with count, too.",
    ),
  });
}

function refusedReference(draft: Draft, { missing, object }: Config): PlanResult {
  const message = sentence`failed to get PreCachingConfig resource due to PreCachingConfig.ran.openshift.io ${JSON.stringify(missing)} not found`;
  return refuseSpec(draft, message, {
    code: "PreCachingConfigMissing",
    path: "spec.preCachingConfigRef",
    remedy: sentence`Create PreCachingConfig/${object.namespace ?? ""}/${object.name}, or correct the reference.`,
  });
}

/** Returns the plan with the content from the policies and overrides, and with the conditions about the content. */
export function planSpec(draft: Draft, { present, compliant }: ManagedPolicies, config: Config): PlanResult {
  const { input, options } = draft;
  const { profile = "standard", indexRepositories, isOff } = options;
  if (isOff) return finish(hold(draft, specIncomplete(noWorkloadImage)));
  const inOrder = [...present, ...compliant];
  const isAllowed = (index: string) =>
    profile === "standard" ||
    (indexRepositories?.includes(tryParseImageReference(index)?.repository ?? "") ?? true);
  const software = policySoftware(inOrder, isAllowed);
  const release = platformImage(inOrder, input.lookup);
  if (!release.ok) return refusedRelease(draft, release);
  if (config.missing !== "") return refusedReference(draft, config);

  const merged = mergeValues(
    {
      config: config.values,
      configObject: config.object,
      configMap: findIn(input.configMaps, namespaceOf(input.cgu), overridesConfigMap),
      fromPolicies: { platformImage: release.image, ...software },
    },
    profile,
  );
  const ofPolicies = [
    ...catalogValueIssues(inOrder),
    ...preflightIssues(inOrder),
    ...verifiedPullIssues(inOrder),
    ...unplannedIssues(inOrder),
  ];
  return planMerged(draft, merged, { policies: inOrder, release, software, config }, ofPolicies);
}

function planMerged(
  draft: Draft,
  merged: MergedValues,
  read: ReadSources,
  ofPolicies: readonly Issue[],
): PlanResult {
  const { software, config } = read;
  const ofPatterns = issuesOfPatterns(draft, config, merged);
  const found = [...ofPolicies, ...merged.issues, ...unusedIssues(software, merged), ...ofPatterns];
  const checked = { ...draft, issues: [...draft.issues, ...found] };
  if (!merged.ok) {
    const message = sentence`failed to get PreCachingConfig resource due to ${merged.message}`;
    return finish(hold(checked, specIncomplete(message)));
  }
  const { spec, issues: unmanagedIssues } = withoutUnmanaged(merged.spec, software);
  const wrong = [...config.issues, ...found].filter(({ code }) => !leftOut.has(code));
  if (hasErrors(wrong)) return finish(hold(checked, specIncomplete(errorSummary(wrong))));
  const planned = { ...checked, issues: [...checked.issues, ...unmanagedIssues] };
  const problem = inconsistency(spec);
  if (problem !== undefined)
    return refuseSpec(planned, problem, {
      code: "SpecInconsistent",
      path: "spec",
      remedy:
        "Name images in a PreCachingConfig, or manage a policy that has a ClusterVersion, or a CatalogSource and Subscriptions.",
    });
  const { cgu, managedClusters } = draft.input;
  const going = new Set(draft.clusters.flatMap(({ name, action }) => (action === "precache" ? [name] : [])));
  const clusters = managedClusters.filter(({ metadata }) => going.has(metadata.name));
  const ofOthers = [
    ...architectureIssues(cgu, clusters, spec.platformImage),
    ...consistencyIssues(draft, clusters, spec, read),
  ];
  return finish(
    {
      ...planned,
      issues: [...planned.issues, ...ofOthers],
      conditions: [...planned.conditions, specValid, notDone],
    },
    spec,
    merged.preCacheImage,
  );
}
