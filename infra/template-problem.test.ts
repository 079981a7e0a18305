import { expect, test } from "vitest";
import { templateProblem } from "./template-problem.ts";

const named = (Type: string, property: string, length: number) => ({
  Type,
  Properties: { [property]: `hubrelay-${"x".repeat(length - 9)}` },
});

test.for([
  { what: "function", Type: "AWS::Lambda::Function", property: "FunctionName", max: 64 },
  { what: "queue", Type: "AWS::SQS::Queue", property: "QueueName", max: 80 },
])(
  "When the name of a $what has more than $max characters, the problem should say by how many",
  ({ Type, property, max }) => {
    expect(
      templateProblem({ Parameters: {}, Resources: { One: named(Type, property, max) } }),
    ).toBeUndefined();
    const problem = templateProblem({
      Parameters: {},
      Resources: { One: named(Type, property, max + 1), Two: named(Type, property, max + 3) },
    });
    expect(problem).toContain(
      `has ${max + 3} characters; AWS permits ${max} for ${property}. Fix: shorten --stage or --hub by 3.`,
    );
  },
);

test.for([
  { variables: { HUBRELAY_LOG_LEVEL: "verbose" }, problem: "HUBRELAY_LOG_LEVEL is not a log level" },
  { variables: { HUBRELAY_HUB_VERSION: "latest" }, problem: "HUBRELAY_HUB_VERSION is not a version" },
  {
    variables: { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: "quay.io/acme/workload:1" },
    problem: "HUBRELAY_WORKLOAD_IMAGE has no digest",
  },
])(
  "When a function could not start with $variables, the problem should say why",
  ({ variables, problem }) => {
    const Properties = { FunctionName: "hubrelay-prod-precache-plan", Environment: { Variables: variables } };
    const Resources = { One: { Type: "AWS::Lambda::Function", Properties } };
    expect(templateProblem({ Parameters: {}, Resources })).toContain(
      `hubrelay-prod-precache-plan could not start: ${problem}`,
    );
  },
);

test("When variables of a function are known only to AWS, there should be no problem", () => {
  const Variables = { HUBRELAY_QUEUE_URL: { Ref: "Queue" }, HUBRELAY_LOG_LEVEL: "debug" };
  const Resources = { One: { Type: "AWS::Lambda::Function", Properties: { Environment: { Variables } } } };
  expect(templateProblem({ Parameters: {}, Resources })).toBeUndefined();
});

const chosen = (parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(parameters).map(([id, Default]) => [id, { Default }]));

test.for([
  {
    parameters: { Subnets: "subnet-1" },
    problem: 'subnetIds: "subnet-1" needs securityGroupIds. Fix: give both, or neither.',
  },
  {
    parameters: { SecurityGroups: "sg-1" },
    problem: 'securityGroupIds: "sg-1" needs subnetIds. Fix: give both, or neither.',
  },
])("When the parameters are $parameters, the problem should be: $problem", ({ parameters, problem }) => {
  expect(templateProblem({ Parameters: chosen(parameters), Resources: {} })).toBe(problem);
});

test("When parameters that depend on each other are given together, there should be no problem", () => {
  const Parameters = chosen({
    Subnets: "subnet-1,subnet-2",
    SecurityGroups: "sg-1",
  });
  expect(templateProblem({ Parameters, Resources: {} })).toBeUndefined();
});

const withVariable = (HUBRELAY_HUB_ID: string) => ({
  FunctionName: "hubrelay-prod-resync",
  Environment: { Variables: { HUBRELAY_HUB_ID } },
});

test.for([
  {
    Type: "AWS::IAM::Role",
    Properties: { Path: "/hubrelay" },
    problem: 'rolePath: "/hubrelay" does not begin and end with a slash. Fix: use a path such as /hubrelay/.',
  },
  {
    Type: "AWS::IAM::ManagedPolicy",
    Properties: { Path: "hubrelay/" },
    problem: 'rolePath: "hubrelay/" does not begin and end with a slash. Fix: use a path such as /hubrelay/.',
  },
  { Type: "AWS::IAM::Role", Properties: { Path: "/" }, problem: undefined },
  { Type: "AWS::IAM::Role", Properties: { Path: "/teams/hubrelay/" }, problem: undefined },
  {
    Type: "AWS::Lambda::Function",
    Properties: withVariable("hub & co"),
    problem:
      'hubId: "hub & co" has characters that tags may not have. Fix: use letters, digits, spaces and _ . : / = + - @.',
  },
  {
    Type: "AWS::Lambda::Function",
    Properties: withVariable("https://api.köln.example.com:6443"),
    problem: undefined,
  },
])("When $Type has $Properties, the problem should be: $problem", ({ Type, Properties, problem }) => {
  expect(templateProblem({ Parameters: {}, Resources: { One: { Type, Properties } } })).toBe(problem);
});
