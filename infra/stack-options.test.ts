import { CommanderError } from "commander";
import { expect, test } from "vitest";
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
    given: ["--unset", "functions", "--unset=outcomes"],
    passed: ['--param=given={"functions":null,"outcomes":null}'],
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
    why: "a hub with other characters",
    given: ["--hub", "East_1"],
    says: "lower case letters, digits and dashes, such as prod",
  },
  {
    why: "a hub with other characters, as a parameter",
    given: ["--param", "hub=East_1"],
    says: "lower case letters, digits and dashes, such as prod",
  },
  { why: "an empty hub", given: ["--hub", ""], says: "lower case letters" },
  {
    why: "a misspelt parameter",
    given: ["--param", "function=none"],
    says: "serverless.yml has no parameter function, only hub, hubId, functions,",
  },
  {
    why: "a misspelt parameter to unset",
    given: ["--unset", "function"],
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
