import { join } from "node:path";
import { expect, test } from "vitest";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { paths } from "../../infra/paths.ts";
import { hubrelay } from "./cli-in-process.ts";

/** What may be missing only in the files. */
const ofOthers: readonly string[] = [
  "ClusterNotFound",
  "NotAllManagedPoliciesExist",
  "PreCachingConfigMissing",
];

const textOf = ({ code, object }: Issue) => `${code} ${displayName(object)}`;
/** What a line says is wrong: an object, and a code. */
const errorLine = /^(?:\S+:\d+:\d+: )?error: (?<object>\w+\/\S+?):? .*\[(?<code>\w+)\]$/gm;

test.for([
  "examples/fleet",
  "test/golden/repositories/ztp/base",
  "test/golden/repositories/ztp/breaks",
  "test/corpus/precache.yaml",
])("When precache plan refuses what %s has written, validate should report the same", async (name) => {
  const files = ["-f", join(paths.root, name)];
  const validated = await hubrelay(["validate", ...files, "-o", "json"]);
  const { issues, coverage }: { issues: readonly Issue[]; coverage: Coverage } = JSON.parse(validated.stdout);
  const { stderr } = await hubrelay(["precache", "plan", ...files]);
  const errors = [...stderr.matchAll(errorLine)].map(({ groups: { code = "", object = "" } = {} }) => ({
    code,
    object,
  }));
  const known = new Set(issues.map(textOf));
  const hasNoGraph = coverage.unread.some(({ why }) => why === "no-graph");
  const others = errors.filter(
    ({ code, object }) =>
      !known.has(`${code} ${object}`) &&
      !ofOthers.includes(code) &&
      !(code === "InvalidPlatformImage" && hasNoGraph),
  );
  expect(others).toEqual([]);
});
