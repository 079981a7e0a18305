import fc from "fast-check";
import { expect, test } from "vitest";
import {
  anOverridesConfigMap,
  anUpgrade,
  aPreCachingConfig,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { lastOf, plan, platform } from "../../../../test/support/precache/precache-planning.ts";
import {
  excludePatternDoubt,
  excludePatternProblem,
  patternLines,
  readExclusion,
} from "./exclude-patterns.ts";

const unreadable = (message: string) => ({ kind: "Unreadable", message });
const tooCostly = (message: string) => ({ kind: "TooCostly", message });
const bracket = unreadable("A bracket is never closed.");
const group = unreadable("A group is never closed.");
const interval = tooCostly("An interval repeats more than 255 times.");
const nested = tooCostly("Nested intervals repeat more than 1000 times.");

/** As GNU grep reads each of them. */
test.for([
  { patterns: ["[", "[]", "[^]", "a[[:alpha]", "a[[:alpha:", "a\n["], problem: bracket },
  { patterns: ["a\\", "\\(\\", "a\\\nb"], problem: unreadable("It ends with a backslash.") },
  { patterns: ["\\(a", "\\(\\(a\\)", "\\(a\nb\\)", "\\(a\\{300\\}"], problem: group },
  { patterns: ["a\\)", "\\(a\\)\\)"], problem: unreadable("A group is closed that was never opened.") },
  {
    patterns: [
      ...["aws", '^"aws', "(", ")", "{", "]", "*", "[]a]", "[^]a]", "[\\(]", "[[:alpha:]]", "\\\\"],
      ...["\\(a\\|b\\)", "\\{", "a\\{\\}", "a{300}", "a\\{300", "a\\{x\\}"],
    ],
    problem: undefined,
  },
  {
    patterns: [
      ...["x\\{1,32767\\}", "x\\{256\\}", "x\\{256,\\}"],
      ...["x\\{,256\\}", "x\\{0256\\}", `x\\{${"9".repeat(400)}\\}`],
      ...["[]x]\\{256\\}", "[[.].]]\\{256\\}", "[[:alpha:]]\\{256\\}", "\\\\\\{256\\}", "a\\|b\\{256\\}"],
      ...["\\(x\\)\\{256\\}", "x*\\{256\\}", "x\\+\\{256\\}", "aws\nx\\{256\\}\nazure", "\\[x]\\{256\\}"],
    ],
    problem: interval,
  },
  {
    patterns: [
      ...["\\(x\\{32\\}\\)\\{32\\}", "x\\{32\\}\\{32\\}", "\\(a\\(x\\{10\\}b\\)\\{11\\}c\\)\\{10\\}"],
      ...["\\(x\\{32\\}y\\)\\{32\\}", "\\(y\\|x\\{32\\}\\)\\{32\\}", "\\(x\\{2,32\\}*\\)\\{1,32\\}"],
      ...["\\(x\\{32\\}\\)*\\{32\\}", "\\(x\\{32\\}\\)\\?\\{32\\}", "\\(\\(x\\{255\\}\\)\\)\\{4\\}"],
    ],
    problem: nested,
  },
  {
    patterns: ["\\(a\\)\\1", "\\(a\\)b*\\1\\{2\\}", "\\(\\(a\\)\\1\\)*", "aws\n\\(a\\)\\1"],
    problem: tooCostly("It has a back-reference to a group: \\1."),
  },
  {
    patterns: [
      ...["x\\{255\\}", "x\\{,255\\}", "x\\{1,255\\}y\\{255\\}"],
      ...["\\(x\\{25\\}\\)\\{40\\}", "x\\{10\\}\\{100\\}"],
      ...["[\\{300\\}]", "[x\\{300\\}]", "[[:alpha:]\\{300\\}]", "\\\\{300\\}", "[\\1]", "\\\\1", "\\0"],
      ...["\\(x\\{255\\}\\)y\\{255\\}", "\\(x\\{255\\}\\)\\|\\(y\\{255\\}\\)"],
      ...["x\\{255\\}\ny\\{255\\}", "\\(a*\\)*"],
    ],
    problem: undefined,
  },
])("When the patterns are $patterns, the problem should be: $problem.message", ({ patterns, problem }) => {
  for (const pattern of patterns) expect(excludePatternProblem(pattern), pattern).toEqual(problem);
});

/** A text that `grep` reads as one part, and that repeats nothing. */
const part = fc.constantFrom<string[]>(
  "x",
  ".",
  "[]\\{9999\\}]",
  "[[:alpha:]]",
  "\\\\",
  "\\.",
  "x*",
  "\\w",
  "aws.io/",
);
/** Numbers of an interval, and how to write it: `\{n\}`, `\{n,\}`, `\{,n\}` or `\{m,n\}`. */
const repeat = fc.record({
  times: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 600 })),
  write: fc.constantFrom(
    (n: number) => `\\{${n}\\}`,
    (n: number) => `\\{${n},\\}`,
    (n: number) => `\\{,${n}\\}`,
    (n: number) => `\\{${Math.floor(n / 2)},${n}\\}`,
  ),
});

test("When intervals are nested, the largest and their product should decide, whatever stands around them", () => {
  const layer = fc.record({ before: part, repeat, after: part });
  fc.assert(
    fc.property(part, fc.array(layer, { minLength: 1, maxLength: 4 }), (core, layers) => {
      const pattern = layers.reduce(
        (inner, { before, repeat: { times, write }, after }) =>
          `${before}\\(${inner}\\)${write(times)}${after}`,
        core,
      );
      const times = layers.map(({ repeat }) => repeat.times);
      const isCostly = Math.max(...times) > 255 || times.reduce((product, one) => product * one, 1) > 1000;
      expect(excludePatternProblem(pattern)?.kind, pattern).toBe(isCostly ? "TooCostly" : undefined);
    }),
  );
});

test("When a pattern is any text, it should be judged without an exception, line by line", () => {
  const text = fc
    .array(
      fc.oneof(fc.constantFrom("\\", "(", ")", "{", "}", "[", "]", "\n", ",", "9", "*", ":"), fc.string()),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (pattern) => {
      const problems = patternLines([pattern]).map(excludePatternProblem);
      const empty = problems.length === 0 ? { kind: "Empty", message: "It is empty." } : undefined;
      expect(excludePatternProblem(pattern)).toEqual(
        empty ?? problems.find((problem) => problem !== undefined),
      );
    }),
  );
});

test("When a pattern would fail on every cluster, its path should be reported", () => {
  const of = (...objects: Parameters<typeof plan>[0]["objects"]) =>
    plan({ objects: [anUpgrade({ preCachingConfigRef: { name: "config" } }), platform, ...objects] })
      .issues.filter(({ code }) => code === "PatternInvalid")
      .map(({ object, path, value, severity }) => [severity, object.kind, path, value]);
  expect(of(aPreCachingConfig({ excludePrecachePatterns: ["aws", "[az"] }))).toEqual([
    ["warning", "PreCachingConfig", "spec.excludePrecachePatterns[1]", "[az"],
  ]);
  const inMap = anOverridesConfigMap({ excludePrecachePatterns: "\\(az" });
  expect(of(aPreCachingConfig({}), inMap)).toEqual([
    ["warning", "ConfigMap", 'data["excludePrecachePatterns"]', "\\(az"],
  ]);
});

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

test.for([
  {
    where: "a PreCachingConfig",
    objects: [aPreCachingConfig({ excludePrecachePatterns: ["aws", "x\\{1,32767\\}"] })],
    kind: "PreCachingConfig",
    path: "spec.excludePrecachePatterns[1]",
  },
  {
    where: "the ConfigMap of overrides",
    objects: [
      aPreCachingConfig({}),
      anOverridesConfigMap({ excludePrecachePatterns: "aws\nx\\{1,32767\\}" }),
    ],
    kind: "ConfigMap",
    path: 'data["excludePrecachePatterns"]',
  },
])("When a pattern in $where would take a node's memory, nothing should start", ({ objects, kind, path }) => {
  const upgrade = anUpgrade({ preCachingConfigRef: { name: "config" } });
  const planned = plan({ objects: [upgrade, platform, ...objects] });
  expect(planned.issues.find(({ code }) => code === "PatternTooCostly")).toMatchObject({
    severity: "error",
    object: { kind },
    path,
    value: "x\\{1,32767\\}",
    message: expect.stringContaining("more than 255 times"),
    remedy: expect.stringContaining("simpler pattern"),
  });
  expect(planned.spec).toMatchObject({ platformImage: "", excludePrecachePatterns: [] });
  const [type, status, reason, message] = lastOf(planned);
  expect([type, status, reason]).toEqual(["PrecacheSpecValid", "False", "PrecacheSpecIncomplete"]);
  expect(message).toContain(path);
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
      expect(excludePatternProblem(pattern), pattern).toBeUndefined();
      expect(excludePatternDoubt(pattern)?.kind, pattern).toBe(kind);
    }
  },
);
