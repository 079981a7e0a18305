import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { stackParts } from "./functions/stack.ts";
import { paths } from "./paths.ts";

const textOf = (path: string) => readFile(join(paths.root, path), "utf8");

const rules = z.object({
  spec: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })),
  }),
});

/**
 * Those of the functions, and those of the stack: their files have CloudFormation's tags, so they are read line by
 * line.
 */
async function alarmsOnAws(): Promise<readonly string[]> {
  const { Resources } = stackParts(paths.root).resources;
  const ofFunctions = Object.keys(Resources).filter((id) => Resources[id]?.Type === "AWS::CloudWatch::Alarm");
  const files = ["infra/alarms.yml", "infra/aws/outcome-bus.yml"];
  const text = (await Promise.all(files.map(textOf))).join("\n");
  const ofStack = text.matchAll(/^ {2}(\w+):\n {4}Type: AWS::CloudWatch::Alarm$/gm);
  return [...ofFunctions, ...[...ofStack].map(([, id = ""]) => id)];
}

async function alertsOnPrometheus(): Promise<readonly string[]> {
  const text = await textOf("infra/kubernetes/components/prometheus/alerts.yaml");
  return rules.parse(parse(text)).spec.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
}

const headings = [...(await textOf("docs/runbook.md")).matchAll(/^### `(\*?\w+)`$/gm)].map(
  ([, heading = ""]) => heading,
);
const alarms = [...(await alarmsOnAws()), ...(await alertsOnPrometheus())];
const isFor = (heading: string, alarm: string) =>
  heading.startsWith("*") ? alarm.endsWith(heading.slice(1)) : alarm === heading;

test("When the alarms are read, there should be some of both kinds", async () => {
  expect((await alarmsOnAws()).length).toBeGreaterThan(3);
  expect((await alertsOnPrometheus()).length).toBeGreaterThan(3);
});

test.for(alarms)("When %s goes off, the runbook should have one heading for it", (alarm) => {
  expect(headings.filter((heading) => isFor(heading, alarm))).toHaveLength(1);
});

test.for(headings)("When the runbook has the heading %s, there should be such an alarm", (heading) => {
  expect(alarms.filter((alarm) => isFor(heading, alarm)).length).toBeGreaterThan(0);
});
