import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { stackOptions } from "./stack-options.ts";

const noEnvironment = {};
const inRegion = ["--region", "eu-central-1"];
const named = ["--stage", "prod", ...inRegion];
const image = "registry.lab/workload:1";

test.for([
  { given: ["--stage", "prod-east"], passed: ["--stage=prod-east"] },
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

test("When the section of a stage has the image, it should be known", () => {
  const yml = `
provider: { stage: dev }
params:
  default: { functions: lambda, workloadImage: "" }
  prod: { workloadImage: ${image} }`;
  expect(() => stackOptions("deploy", named, noEnvironment, yml)).not.toThrow();
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

test.for([
  ["no stage, which npm swallows without --", inRegion, "'--stage <name>' not specified"],
  ["no region", ["--stage", "prod"], "'--region <region>' not specified"],
  ["an option that does not exist", [...named, "--stag", "dev"], "unknown option '--stag'"],
  ["an argument", [...named, "east"], "too many arguments"],
  ["a stage in capitals", ["--stage", "Prod"], "lower case letters, digits and dashes, such as prod"],
  [
    "a misspelt parameter",
    ["--param", "function=none"],
    "serverless.yml has no parameter function, only hubId, functions,",
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
