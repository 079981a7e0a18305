import { expect, test } from "vitest";
import { readExclusion } from "./exclude-patterns.ts";

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

test.for(["[abc]", "a\\|b", "a*", "", "*", "a{2}", "a^b", "(", ".*.*.*.*x"])(
  "When the pattern is %j, it should be reported as not applied",
  (pattern) => {
    const { isExcluded, notApplied } = readExclusion([pattern]);
    expect([isExcluded("cli", spec), notApplied]).toEqual([false, [pattern]]);
  },
);
