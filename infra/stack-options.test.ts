import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { stackOptions } from "./stack-options.ts";

const noEnvironment = {};
const inRegion = ["--region", "eu-central-1"];
const named = ["--stage", "prod", ...inRegion];

test.for([
  { given: ["--stage", "prod", "--hub", "east"], passed: ["--stage=prod", "--param=hub=east"] },
  { given: ["--hub=east", "--param", "hubId=a"], passed: ["--param=hub=east", "--param=hubId=a"] },
  {
    given: ["--param", "hubId=a=b", "--param=logLevel=debug"],
    passed: ["--param=hubId=a=b", "--param=logLevel=debug"],
  },
  { given: [], passed: [] },
])("When a stack is packaged with $given, osls should get $passed", ({ given, passed }) => {
  expect(stackOptions("package", given)).toEqual(passed);
});

test("When a stack is deployed to the region of the environment, osls should get the stage and that region", () => {
  expect(stackOptions("deploy", ["--stage", "prod", "--force"], { AWS_REGION: "eu-west-1" })).toEqual([
    "--stage=prod",
    "--region=eu-west-1",
    "--force",
  ]);
});

test.for([
  {
    given: ["--hub", "east", "--param", "hubId=a=b"],
    passed: ["--param=hub=east", "--param=hubId=a=b", '--param=given={"hub":"east","hubId":"a=b"}'],
  },
  {
    given: ["--unset", "functions", "--unset=logLevel"],
    passed: ['--param=given={"functions":null,"logLevel":null}'],
  },
])(
  "When a stack is deployed with $given, the next deployment should be able to find that in it",
  ({ given, passed }) => {
    expect(stackOptions("deploy", [...named, ...given], noEnvironment)).toEqual([
      "--stage=prod",
      "--region=eu-central-1",
      ...passed,
    ]);
  },
);

describe("a hub with values of its own in serverless.yml", () => {
  const of = (east: string) => `
provider: { stage: dev }
params:
  default: { hub: only, hubId: hub, logRetentionInDays: 30, subnetIds: "" }
  prod: { logRetentionInDays: 180 }
  prod-east: ${east}`;
  const passed = (east: string, ...given: readonly string[]) =>
    stackOptions("package", ["--stage", "prod", ...given], noEnvironment, of(east));

  test("When it is deployed, osls should get them before those of the command line, which win", () => {
    const east = "{ hubId: east, logRetentionInDays: 7 }";
    const ofHub = ["--param=hubId=east", "--param=logRetentionInDays=7"];
    expect(passed(east, "--hub", "east")).toEqual(["--stage=prod", ...ofHub, "--param=hub=east"]);
    expect(passed(east, "--param", "hub=east", "--param", "hubId=a")).toEqual([
      "--stage=prod",
      "--param=logRetentionInDays=7",
      "--param=hub=east",
      "--param=hubId=a",
    ]);
    expect(passed(east, "--hub", "west")).toEqual(["--stage=prod", "--param=hub=west"]);
    expect(passed(east)).toEqual(["--stage=prod"]);
  });

  test("When it is deployed, only what the command line has should be remembered: git has the rest", () => {
    const args = [...named, "--hub", "east"];
    expect(stackOptions("deploy", args, noEnvironment, of("{ hubId: east }"))).toContain(
      '--param=given={"hub":"east"}',
    );
  });

  test.for([
    {
      east: "{ subnetId: subnet-1 }",
      says: "serverless.yml, params.prod-east: no such parameter: subnetId. Fix: use one of hub, hubId, logRetentionInDays, subnetIds.",
    },
    {
      east: "{ hubId: }",
      says: "serverless.yml, params.prod-east: hubId is empty. Fix: give it a value, or leave it out.",
    },
  ])("When its values are $east, the error should say: $says", ({ east, says }) => {
    expect(() => passed(east, "--hub", "east")).toThrow(says);
  });
});

test.for([
  { why: "no stage, which npm swallows without --", given: inRegion, says: "'--stage <name>' not specified" },
  { why: "no region", given: ["--stage", "prod"], says: "'--region <region>' not specified" },
  {
    why: "an option that does not exist",
    given: [...named, "--stag", "dev"],
    says: "unknown option '--stag'",
  },
  { why: "an argument", given: [...named, "east"], says: "too many arguments" },
  {
    why: "a stage in capitals",
    given: ["--stage", "Prod"],
    says: "lower case letters, digits and dashes, such as prod",
  },
  {
    why: "a hub with other characters, as a parameter",
    given: ["--param", "hub=East_1"],
    says: "lower case letters, digits and dashes, such as prod",
  },
  {
    why: "a misspelt parameter",
    given: ["--param", "function=none"],
    says: "serverless.yml has no parameter function, only hub, hubId, functions,",
  },
  {
    why: "a parameter without a value",
    given: ["--param", "hubId="],
    says: "It must be NAME=VALUE. A parameter that is left out has its default.",
  },
])("When a stack is deployed with $why, the error should say: $says", ({ given, says }) => {
  const refused = () => stackOptions("deploy", given, noEnvironment);
  expect(refused).toThrow(CommanderError);
  expect(refused).toThrow(says);
});
