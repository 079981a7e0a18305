import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import packageJson from "../package.json" with { type: "json" };
import { stackParts } from "./generate/stack.ts";
import { paths } from "./paths.ts";

const textOf = (path: string) => readFile(join(paths.root, path), "utf8");

const rules = z.object({
  spec: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ alert: z.string(), annotations: z.object({ runbook_url: z.string() }) })),
      }),
    ),
  }),
});

/**
 * Those of the functions, and those of the stack: their file has CloudFormation's tags, so it is read line by
 * line.
 */
async function alarmsOnAws(): Promise<readonly string[]> {
  const { Resources } = stackParts(paths.root).resources;
  const ofFunctions = Object.keys(Resources).filter((id) => Resources[id]?.Type === "AWS::CloudWatch::Alarm");
  const text = await textOf("infra/aws/alarms.yml");
  const ofStack = text.matchAll(/^ {2}(\w+):\n {4}Type: AWS::CloudWatch::Alarm$/gm);
  return [...ofFunctions, ...[...ofStack].map(([, id = ""]) => id)];
}

const { spec } = rules.parse(parse(await textOf("infra/kubernetes/components/prometheus/alerts.yaml")));
const alerts = spec.groups.flatMap((group) => group.rules);

const headings = [...(await textOf("docs/runbook.md")).matchAll(/^### `(\*?\w+)`$/gm)].map(
  ([, heading = ""]) => heading,
);
const alarms = [...(await alarmsOnAws()), ...alerts.map(({ alert }) => alert)];
const isFor = (heading: string, alarm: string) =>
  heading.startsWith("*") ? alarm.endsWith(heading.slice(1)) : alarm === heading;

test("When the alarms are read, there should be some of both kinds", async () => {
  expect((await alarmsOnAws()).length).toBeGreaterThan(3);
  expect(alerts.length).toBeGreaterThan(3);
});

test.for(alarms)("When %s goes off, the runbook should have one heading for it", (alarm) => {
  expect(headings.filter((heading) => isFor(heading, alarm))).toHaveLength(1);
});

test.for(alerts)(
  "When $alert fires, its page should be the runbook at its heading",
  ({ alert, annotations }) => {
    const page = `${packageJson.homepage.replace(/#.*$/, "")}/blob/main/docs/runbook.md`;
    expect(annotations.runbook_url).toBe(`${page}#${alert.toLowerCase()}`);
  },
);

test.for(headings)("When the runbook has the heading %s, there should be such an alarm", (heading) => {
  expect(alarms.filter((alarm) => isFor(heading, alarm)).length).toBeGreaterThan(0);
});
