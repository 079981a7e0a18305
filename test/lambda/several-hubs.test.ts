import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { installedTool } from "../../infra/tool-folder.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";

const template = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.string() })),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
  Outputs: z.record(z.string(), z.object({ Export: z.unknown() }).partial()),
});
const state = z.object({
  service: z.object({
    provider: z.object({ stackName: z.string(), stackTags: z.record(z.string(), z.string()) }),
  }),
});
type Packaged = Readonly<{
  stack: z.infer<typeof template>;
  provider: { stackName: string; stackTags: object };
}>;

/** Every text in a value, at any depth. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : Object.values(Object(value)).flatMap(textsIn);

/**
 * The names that a stack gives or refers to, those of its exports included, which are unique in an account and region;
 * the artefacts' keys are in the stack's own bucket. Types of events and their schema are the same everywhere.
 */
const namesOf = ({ stack }: Packaged): ReadonlySet<string> =>
  new Set(
    [
      ...Object.values(stack.Resources).map(({ Properties }) => Properties),
      ...Object.values(stack.Outputs).map(({ Export }) => Export),
    ]
      .flatMap(textsIn)
      .filter((text) => /hubrelay|prod/.test(text) && !/^(?:serverless\/|dev\.hubrelay|\{)/.test(text)),
  );

describe("stacks of several hubs in one account", () => {
  const folder = sharedFolder();
  const packaged = async (stage: string): Promise<Packaged> => {
    const to = join(folder.path, stage);
    const osls = join(await installedTool("osls", console.warn), "node_modules/osls/bin/serverless.js");
    await succeeded(process.execPath, [osls, "package", "--package", to, "--stage", stage], {
      cwd: paths.root,
    });
    const read = async (name: string) => JSON.parse(await readFile(join(to, name), "utf8"));
    const stack = template.parse(await read("cloudformation-template-update-stack.json"));
    return { stack, provider: state.parse(await read("serverless-state.json")).service.provider };
  };

  test("When a second hub is deployed as another stage, its stack should name nothing of the first one's", async () => {
    const stacks = [await packaged("prod-east"), await packaged("prod-west"), await packaged("prod")];
    expect(stacks.map(({ provider }) => provider.stackName)).toEqual([
      "hubrelay-prod-east",
      "hubrelay-prod-west",
      "hubrelay-prod",
    ]);
    for (const [index, one] of stacks.entries())
      for (const other of stacks.slice(index + 1)) {
        const shared = [...namesOf(one)].filter((name) => namesOf(other).has(name));
        // Metrics, which have the instance in their names or the hub as their dimension, and what is on each hub.
        const same = /^hubrelay$|^hubrelay_\w+$|^hubrelay\/hubrelay-forwarder$|system:serviceaccount/;
        expect(shared.filter((name) => !same.test(name))).toEqual([]);
      }
    const tags = stacks.map(({ provider }) => provider.stackTags);
    expect(tags[0]).toMatchObject({ application: "hubrelay", hub: "hub-prod-east" });
    expect(tags[1]).toMatchObject({ application: "hubrelay", hub: "hub-prod-west" });
  });

  test("When a hub has alarms, each should watch what is that hub's own, and call its own people", async () => {
    const { stack } = await packaged("prod-east");
    const alarms = Object.entries(stack.Resources).filter(
      ([, { Type }]) => Type === "AWS::CloudWatch::Alarm",
    );
    expect(alarms.length).toBeGreaterThan(12);
    for (const [id, { Properties }] of alarms) {
      const { MetricName, Dimensions, Metrics, AlarmActions } = Properties;
      // The metric of a resource of the stack, or one with the hub in its name.
      expect(JSON.stringify({ MetricName, Dimensions, Metrics }), id).toMatch(
        /"(?:Ref|Fn::GetAtt)":|prod-east/,
      );
      expect(AlarmActions, id).toEqual([{ Ref: "AlarmTopic" }]);
    }
  });
});
