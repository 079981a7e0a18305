import { globSync } from "node:fs";
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

/** Folders of kustomize and Helm have to be rendered first. */
const repositories = "{acm-policies,app-of-apps,environments,flat,hypershift,oc-mirror,ztp}";
const fixtures = [
  "examples/{fleet,hub}",
  "test/corpus/*.yaml",
  `test/golden/repositories/${repositories}/*/`,
];
const textOf = ({ code, object }: Issue) => `${code} ${displayName(object)}`;
/** What a line says is wrong: an object, and a code. */
const errorLine = /^(?:\S+:\d+:\d+: )?error: (?<object>\w+\/\S+?):? .*\[(?<code>\w+)\]$/gm;

test.for(globSync(fixtures, { cwd: paths.root }))(
  "When a command refuses what %s has written, validate should report the same",
  async (fixture) => {
    const files = ["-f", fixture];
    const options = { cwd: paths.root };
    const validated = await hubrelay(["validate", ...files, "-o", "json"], options);
    const { issues, coverage }: { issues: readonly Issue[]; coverage: Coverage } = JSON.parse(
      validated.stdout,
    );
    const known = new Set(issues.filter(({ severity }) => severity === "error").map(textOf));
    const hasNoGraph = coverage.unread.some(({ why }) => why === "no-graph");
    for (const command of ["precache plan", "hosted", "windows"]) {
      const { stderr } = await hubrelay([...command.split(" "), ...files], options);
      const errors = [...stderr.matchAll(errorLine)].map(({ groups: { code = "", object = "" } = {} }) => ({
        code,
        object,
      }));
      const others = errors.filter(
        ({ code, object }) =>
          !known.has(`${code} ${object}`) &&
          !ofOthers.includes(code) &&
          !(code === "InvalidPlatformImage" && hasNoGraph),
      );
      expect(others, command).toEqual([]);
    }
  },
);
