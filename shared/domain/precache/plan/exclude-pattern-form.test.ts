import { expect, test } from "vitest";
import {
  anOverridesConfigMap,
  anUpgrade,
  aPreCachingConfig,
} from "../../../../test/support/precache-plan-objects.ts";
import { plan, platform } from "../../../../test/support/precache-planning.ts";
import { excludePatternMistake } from "./exclude-pattern-form.ts";

/** As GNU grep says to each of them. */
test.for([
  { patterns: ["[", "[]", "[^]", "a[[:alpha]", "a[[:alpha:"], mistake: "A bracket is never closed." },
  { patterns: ["a\\", "\\(\\"], mistake: "It ends with a backslash." },
  { patterns: ["\\(a", "\\(\\(a\\)"], mistake: "A group is never closed." },
  { patterns: ["a\\)", "\\(a\\)\\)"], mistake: "A group is closed that was never opened." },
  {
    patterns: [
      "aws",
      '^"aws',
      "(",
      ")",
      "{",
      "]",
      "*",
      "[]a]",
      "[^]a]",
      "[\\(]",
      "[[:alpha:]]",
      "\\\\",
      "\\(a\\|b\\)",
    ],
    mistake: undefined,
  },
])("When grep is given $patterns, it should be told: $mistake", ({ patterns, mistake }) => {
  expect(patterns.map(excludePatternMistake)).toEqual(patterns.map(() => mistake));
});

test("When a pattern is going to fail every cluster, it should be told where it stands", () => {
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
