import { expect, test } from "vitest";
import {
  anOverridesConfigMap,
  anUpgrade,
  aPreCachingConfig,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { plan, platform } from "../../../../test/support/precache/precache-planning.ts";
import { excludePatternDoubt, readExclusion } from "./exclude-patterns.ts";

test.for([
  { patterns: ["aws", "  "], read: ["aws"], empty: ["spec.excludePrecachePatterns[1]"] },
  { patterns: ["aws\n"], read: ["aws"], empty: [] },
  { patterns: ["aws\n\n azure \n"], read: ["aws", "azure"], empty: [] },
])(
  "When the patterns are $patterns, each line should be one, without empty ones",
  ({ patterns, read, empty }) => {
    const upgrade = anUpgrade({ preCachingConfigRef: { name: "config" } });
    const objects = [upgrade, platform, aPreCachingConfig({ excludePrecachePatterns: patterns })];
    const planned = plan({ objects });
    expect(planned.issues.map(({ code, severity, path }) => [code, severity, path])).toEqual(
      empty.map((path) => ["PatternEmpty", "warning", path]),
    );
    expect(planned.spec.excludePrecachePatterns).toEqual(read);
  },
);

test("When a ConfigMap of overrides has a blank line, it should be no pattern", () => {
  const objects = [anUpgrade(), platform, anOverridesConfigMap({ excludePrecachePatterns: "aws\n\n" })];
  expect(plan({ objects }).spec.excludePrecachePatterns).toEqual(["aws"]);
});

const spec = "quay.io/ocp/art@sha256:aws";

test.for([
  { pattern: "aws", tag: "aws-machine-controllers", excluded: true },
  { pattern: '^"aws', tag: "aws-machine-controllers", excluded: true },
  { pattern: '^"aws', tag: "my-aws", excluded: false },
  { pattern: "controllers$quay", tag: "aws-machine-controllers", excluded: true },
  { pattern: '"cl.$quay', tag: "cli", excluded: true },
  { pattern: 'c.*i$.*aws"$', tag: "cli", excluded: true },
  { pattern: 'quay.io"$', tag: "cli", excluded: false },
  { pattern: "azure", tag: "cli", excluded: false },
])("When the pattern is $pattern, $tag should be left out: $excluded", ({ pattern, tag, excluded }) => {
  const { isExcluded, notApplied } = readExclusion([pattern]);
  expect([isExcluded(tag, spec), notApplied]).toEqual([excluded, []]);
});

test.for(["[abc]", "a\\|b", "a*", "", "*", "a{2}", "a^b", "("])(
  "When the pattern is %j, it should be reported as not applied",
  (pattern) => {
    const { isExcluded, notApplied } = readExclusion([pattern]);
    expect([isExcluded("cli", spec), notApplied]).toEqual([false, [pattern]]);
  },
);

test("When there are several patterns, each should exclude images, also beside one that is not applied", () => {
  const { isExcluded, notApplied } = readExclusion(["azure", "[abc]", "aws-"]);
  expect(["azure-cli", "aws-cli", "cli"].map((tag) => isExcluded(tag, spec))).toEqual([true, true, false]);
  expect(notApplied).toEqual(["[abc]"]);
});

test.for([
  [
    "MatchesNothing",
    ["(azure|gcp)", "azure|gcp", "*vsphere*", "^aws.*$", "#comment", "AWS", "^aws", "vsphere$", "aws\n^gcp"],
  ],
  ["MatchesAll", ["-", "quay.io", "sha256", "ocp-v4.*art-dev", ".", ".*@"]],
  [
    undefined,
    [
      ...["agent-installer-", "aws-", " openstack", "aws-*", "hypershift", '^"aws'],
      ...['@sha256:.*00"$', "^.aws", '^["x]aws', "A*ws", "[A-Z]ws", "\\(azure\\|gcp\\)", "aws\\|("],
    ],
  ],
] as const)(
  "When patterns match %s of what is in releases, the doubt should be the same",
  ([kind, patterns]) => {
    for (const pattern of patterns) {
      expect(excludePatternDoubt(pattern)?.kind, pattern).toBe(kind);
    }
  },
);
