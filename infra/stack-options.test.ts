import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { stackOptions } from "./stack-options.ts";

const noEnvironment = {};
const inRegion = ["--region", "eu-central-1"];
const named = ["--stage", "prod", ...inRegion];
const image = "registry.lab/workload:1";

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
  const args = ["--stage", "prod", "--force", "--param", `workloadImage=${image}`];
  expect(stackOptions("deploy", args, { AWS_REGION: "eu-west-1" })).toEqual([
    "--stage=prod",
    "--region=eu-west-1",
    `--param=workloadImage=${image}`,
    "--force",
  ]);
});

test.for([
  { given: [], isMissing: true },
  { given: ["--param", `workloadImage=${image}`], isMissing: false },
  { given: ["--param", "functions=none"], isMissing: false },
])(
  "When a stack is deployed with $given, a missing image should be reported: $isMissing",
  ({ given, isMissing }) => {
    const deploy = () => stackOptions("deploy", [...named, ...given], noEnvironment);
    if (isMissing) expect(deploy).toThrow(/^workloadImage is not set: .*Fix: build .*--param workloadImage=/);
    else expect(deploy).not.toThrow();
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
  ["no stage, which npm swallows without --", inRegion, "'--stage <name>' not specified"],
  ["no region", ["--stage", "prod"], "'--region <region>' not specified"],
  ["an option that does not exist", [...named, "--stag", "dev"], "unknown option '--stag'"],
  ["an argument", [...named, "east"], "too many arguments"],
  ["a stage in capitals", ["--stage", "Prod"], "lower case letters, digits and dashes, such as prod"],
  [
    "a hub with other characters, as a parameter",
    ["--param", "hub=East_1"],
    "lower case letters, digits and dashes, such as prod",
  ],
  [
    "a misspelt parameter",
    ["--param", "function=none"],
    "serverless.yml has no parameter function, only hub, hubId, functions,",
  ],
  [
    "a parameter without a value",
    ["--param", "hubId="],
    "It must be NAME=VALUE. A parameter that is left out has its default.",
  ],
] as const)("When a stack is deployed with $0, the error should say: $2", ([, given, says]) => {
  const refused = () => stackOptions("deploy", given, noEnvironment);
  expect(refused).toThrow(CommanderError);
  expect(refused).toThrow(says);
});
