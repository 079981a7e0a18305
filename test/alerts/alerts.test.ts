import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { finished } from "../../infra/run-program.ts";
import { missingPrograms } from "../cluster/support/programs/programs.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { type AlertCase, cases, otherCases } from "./cases.ts";

const rule = z.looseObject({
  alert: z.string(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});
const ruleFile = z.object({ spec: z.object({ groups: z.array(z.looseObject({ rules: z.array(rule) })) }) });
const source = join(paths.root, "infra/kubernetes/components/prometheus/alerts.yaml");
const { spec } = ruleFile.parse(parse(await readFile(source, "utf8")));
const rules = spec.groups.flatMap((group) => group.rules);

const missing = missingPrograms({ promtool: "prometheus" }, ".ci/install-alerts.sh");

/** Runs promtool on a rule test: whether the alert fires once for these series, or not at all. */
async function promtool(
  { alert, atMinutes, labels = {} }: Omit<AlertCase, "fires" | "quiet">,
  series: AlertCase["fires"],
  fires: boolean,
) {
  const folder = await temporaryFolder();
  const own = rules.find((one) => one.alert === alert);
  const annotations = Object.entries(own?.annotations ?? {}).map(([name, text]) => [
    name,
    text
      .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label) => labels[label] ?? "")
      .replace("{{ $value }}", series[Object.keys(series)[0] ?? ""]?.split("x")[0] ?? ""),
  ]);
  const expected = {
    exp_labels: { ...own?.labels, ...labels },
    exp_annotations: Object.fromEntries(annotations),
  };
  const tests = {
    rule_files: ["rules.yaml"],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [
          { eval_time: `${atMinutes}m`, alertname: alert, ...(fires ? { exp_alerts: [expected] } : {}) },
        ],
      },
    ],
  };
  await writeFile(join(folder, "rules.yaml"), JSON.stringify(spec));
  await writeFile(join(folder, "tests.yaml"), JSON.stringify(tests));
  return finished("promtool", ["test", "rules", join(folder, "tests.yaml")], { cwd: folder });
}

test("When there is an alert, it should have one case", () => {
  expect(cases.map(({ alert }) => alert).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

test.skipIf(missing).for(cases)(
  "When the condition of $alert holds, it should fire once",
  because(missing),
  async (one) => {
    expect(await promtool(one, one.fires, true)).toMatchObject({ code: 0, stderr: "" });
  },
);

test.skipIf(missing).for(cases)("When all is well, $alert should be quiet", because(missing), async (one) => {
  expect(await promtool(one, one.quiet, false)).toMatchObject({ code: 0, stderr: "" });
});

test.skipIf(missing).for(otherCases)(
  "When $when, $alert should fire: $fires",
  because(missing),
  async (one) => {
    expect(await promtool(one, one.series, one.fires)).toMatchObject({ code: 0, stderr: "" });
  },
);
