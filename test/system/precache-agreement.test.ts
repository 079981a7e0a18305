import { join } from "node:path";
import { expect, test } from "vitest";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { paths } from "../../infra/paths.ts";
import { hubrelay } from "./cli-in-process.ts";

/** What may be missing only in the files. */
const ofOthers: readonly string[] = [
  "ClusterNotFound",
  "NotAllManagedPoliciesExist",
  "PreCachingConfigMissing",
];

const textOf = ({ severity, code, object }: Issue) => `${severity} ${code} ${object.kind}/${object.name}`;

test.for([
  "examples/fleet",
  "test/golden/repositories/ztp/base",
  "test/golden/repositories/ztp/breaks",
  "test/corpus/precache.yaml",
])("When precache plan refuses what %s has written, validate should report the same", async (name) => {
  const files = ["-f", join(paths.root, name)];
  const validated = await hubrelay(["validate", ...files, "-o", "json"]);
  const { issues, coverage }: { issues: readonly Issue[]; coverage: Coverage } = JSON.parse(validated.stdout);
  const { stderr } = await hubrelay(["precache", "plan", ...files, "--issues", "json"]);
  const planned = stderr.split("\n").filter((line) => line.startsWith("{"));
  const errors: readonly Issue[] = planned
    .map((line) => JSON.parse(line))
    .filter(({ severity }) => severity === "error");
  const known = new Set(issues.map(textOf));
  const isGraph = ({ code }: Issue) =>
    code === "InvalidPlatformImage" && coverage.unread.some(({ why }) => why === "no-graph");
  const others = errors.filter(
    (one) => !known.has(textOf(one)) && !ofOthers.includes(one.code) && !isGraph(one),
  );
  expect(others).toEqual([]);
});
