import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { controllers } from "#functions/controllers.ts";
import { paths } from "./paths.ts";

const queues = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.object({ QueueName: z.string().optional(), VisibilityTimeout: z.number().optional() }),
    }),
  ),
});
const service = z.object({ functions: z.record(z.string(), z.object({ timeout: z.number() })) });

test("When a function runs outside of Lambda, its batch timeout should equal that on Lambda", async () => {
  const text = await readFile(join(paths.root, "serverless.yml"), "utf8");
  const { functions } = service.parse(parse(text, { logLevel: "error" }));
  const own = controllers.map(({ name, timeoutSeconds = 30 }) => [name, timeoutSeconds]);
  expect(own).toEqual(controllers.map(({ name }) => [name, functions[name]?.timeout]));
});

/** Six batches, as AWS recommends, and ten seconds for the time in which a batch fills up. */
const expected = new Map(
  controllers.map(({ queue, timeoutSeconds = 30 }) => [queue, 6 * timeoutSeconds + 10]),
);

test("When a queue is created on AWS, its visibility timeout should follow from the function's timeout", async () => {
  const text = await readFile(join(paths.root, "infra/queues.yml"), "utf8");
  const { Resources } = queues.parse(parse(text, { logLevel: "error" }));
  for (const [queue, seconds] of expected) {
    const found = Object.values(Resources).find(({ Properties }) =>
      Properties.QueueName?.endsWith(`}-${queue}`),
    );
    expect([queue, found?.Properties.VisibilityTimeout]).toEqual([queue, seconds]);
  }
});

test("When a queue is created in ElasticMQ, its visibility timeout should be that on AWS", async () => {
  const text = await readFile(join(paths.root, "infra/kubernetes/overlays/elasticmq/elasticmq.conf"), "utf8");
  const found = text.matchAll(/^ {2}([a-z-]+) \{\n(?:.*\n)? {4}defaultVisibilityTimeout = (\d+) seconds$/gm);
  expect(new Map([...found].map(([, queue, seconds]) => [queue, Number(seconds)]))).toEqual(expected);
});

const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({ template: z.object({ spec: z.object({ terminationGracePeriodSeconds: z.number() }) }) }),
});

test("When a worker pod is asked to stop, it should have time to end its batch", async () => {
  for (const { name, timeoutSeconds = 30 } of controllers) {
    const text = await readFile(join(paths.root, `infra/kubernetes/base/${name}.yaml`), "utf8");
    const [found] = parseAllDocuments(text).flatMap(
      (document) => deployment.safeParse(document.toJS()).data ?? [],
    );
    const seconds = found?.spec.template.spec.terminationGracePeriodSeconds ?? 0;
    expect([name, seconds - timeoutSeconds >= 30]).toEqual([name, true]);
  }
});
