import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { allowedBy, at, named, packagedResources, type Resource } from "./template.ts";

/* The parameters for what a company requires of every stack: its own keys, boundaries, paths, reserved instances. */

const usual = ["OnLambda"];
const byDefault = await packagedResources(usual);
const withKey = await packagedResources([...usual, "HasDataKey"]);
const ids = (all: readonly Resource[]) => all.map(({ id }) => id);

/** Where each kind of resource that holds data names its key. */
const keyOf: Readonly<Record<string, string>> = {
  "AWS::SQS::Queue": "KmsMasterKeyId",
  "AWS::SNS::Topic": "KmsMasterKeyId",
  "AWS::Logs::LogGroup": "KmsKeyId",
  "AWS::Lambda::Function": "KmsKeyArn",
};

describe.for(Object.entries(keyOf))("every %s", ([type, field]) => {
  test("When the company has a key of its own, it should be encrypted with that", () => {
    const all = withKey(type);
    expect(all.length).toBeGreaterThan(0);
    expect(ids(all.filter((one) => named(at(one, field)) !== "DataKey"))).toEqual([]);
  });
});

test("When no key is given, queues should be encrypted by SQS and the topic of outcomes with SNS's key", () => {
  const queues = byDefault("AWS::SQS::Queue");
  expect(ids(queues.filter((one) => at(one, "SqsManagedSseEnabled") !== true))).toEqual([]);
  const topics = byDefault("AWS::SNS::Topic").map((one) => [one.id, at(one, "KmsMasterKeyId")]);
  expect(Object.fromEntries(topics)).toEqual({ OutcomeTopic: "alias/aws/sns", AlarmTopic: undefined });
});

test("When the company has a key of its own, who sends and receives should be allowed to use it, and nobody else", () => {
  const policies = withKey("AWS::IAM::ManagedPolicy");
  const usersOf = (one: Resource) =>
    allowedBy(at(one, "PolicyDocument")).filter((allowed) => allowed.startsWith("kms:"));
  expect(policies.length).toBeGreaterThan(5);
  for (const one of policies)
    expect(usersOf(one), one.id).toEqual(["kms:Decrypt on DataKey", "kms:GenerateDataKey on DataKey"]);
  const before = byDefault("AWS::IAM::ManagedPolicy");
  expect(before.flatMap(usersOf)).toEqual([]);
});

test("When the key's policy is as documented, AWS's services should be able to use it for all that the stack has", async () => {
  const page = await readFile(join(paths.root, "docs/deploy-aws.md"), "utf8");
  const [, text = ""] = /^### A key of your own\n[^#]*?```json\n([^`]*)```/m.exec(page) ?? [];
  const statement = z.object({
    Principal: z.object({ Service: z.union([z.string(), z.array(z.string())]) }),
    Action: z.union([z.string(), z.array(z.string())]),
  });
  const granted = (service: string) =>
    z
      .array(statement)
      .parse(JSON.parse(text))
      .filter(({ Principal }) => [Principal.Service].flat().includes(service))
      .flatMap(({ Action }) => Action)
      .toSorted();
  const sending = ["kms:Decrypt", "kms:GenerateDataKey*"];
  expect(granted("cloudwatch.amazonaws.com")).toEqual(expect.arrayContaining(sending));
  const ofLogs = [...sending, "kms:DescribeKey", "kms:Encrypt", "kms:ReEncrypt*"];
  expect(granted("logs.eu-central-1.amazonaws.com")).toEqual(expect.arrayContaining(ofLogs));
});

test("When a boundary is given, every role should have it", async () => {
  const bounded = await packagedResources([...usual, "HasBoundary"]);
  const roles = bounded("AWS::IAM::Role");
  expect(roles.length).toBeGreaterThan(5);
  expect(
    ids(roles.filter((role) => named(at(role, "PermissionsBoundary")) !== "PermissionsBoundary")),
  ).toEqual([]);
  expect(byDefault("AWS::IAM::Role").map((role) => at(role, "PermissionsBoundary"))).toEqual(
    roles.map(() => undefined),
  );
});

test("When a path is given, every role and policy should be below it", () => {
  const all = [...byDefault("AWS::IAM::Role"), ...byDefault("AWS::IAM::ManagedPolicy")];
  expect(ids(all.filter((one) => at(one, "Path") !== "/"))).toEqual([]);
});

test("When instances are reserved, each function should have as many as its queue may use, and one for its schedule", async () => {
  const reserving = await packagedResources([...usual, "ReservesConcurrency"]);
  const used = new Map(
    reserving("AWS::Lambda::EventSourceMapping").map((mapping) => [
      named(at(mapping, "FunctionName")).replace(/\.Arn$/, ""),
      at(mapping, "ScalingConfig", "MaximumConcurrency"),
    ]),
  );
  const reserved = (one: Resource) => Number(at(one, "ReservedConcurrentExecutions"));
  const all = reserving("AWS::Lambda::Function");
  for (const one of all) expect([one.id, reserved(one)]).toEqual([one.id, Number(used.get(one.id) ?? 0) + 1]);
  const page = await readFile(join(paths.root, "docs/deploy-aws.md"), "utf8");
  expect(page).toContain(`${all.reduce((sum, one) => sum + reserved(one), 0)} in all`);
  expect(byDefault("AWS::Lambda::Function").map((one) => at(one, "ReservedConcurrentExecutions"))).toEqual(
    reserving("AWS::Lambda::Function").map(() => undefined),
  );
});
