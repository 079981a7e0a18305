import { expect, test } from "vitest";
import { templateProblem } from "./template-problem.ts";

const named = (Type: string, property: string, length: number) => ({
  Type,
  Properties: { [property]: `hubrelay-${"x".repeat(length - 9)}` },
});

test.for([
  { what: "function", Type: "AWS::Lambda::Function", property: "FunctionName", most: 64 },
  { what: "queue", Type: "AWS::SQS::Queue", property: "QueueName", most: 80 },
  { what: "registry", Type: "AWS::EventSchemas::Registry", property: "RegistryName", most: 64 },
])(
  "When the name of a $what has more than $most characters, the problem should say by how many",
  ({ Type, property, most }) => {
    expect(
      templateProblem({ Parameters: {}, Resources: { One: named(Type, property, most) } }),
    ).toBeUndefined();
    const problem = templateProblem({
      Parameters: {},
      Resources: { One: named(Type, property, most + 1), Two: named(Type, property, most + 3) },
    });
    expect(problem).toContain(
      `has ${most + 3} characters; AWS permits ${most} for ${property}. Fix: shorten --stage or --hub by 3.`,
    );
  },
);

test("When a parameter has a value that the template does not allow, the problem should name those that it does", () => {
  const parameter = { Default: "pods", AllowedValues: ["lambda", "none"] };
  expect(templateProblem({ Parameters: { Functions: parameter }, Resources: {} })).toBe(
    'The parameter Functions is "pods", which is not one of lambda, none.',
  );
  const allowed = { Functions: { ...parameter, Default: "none" }, HubVersion: { Default: "4.20" } };
  expect(templateProblem({ Parameters: allowed, Resources: {} })).toBeUndefined();
});

test.for([
  {
    given: "https://oidc.example.com/id/1",
    problem:
      'The parameter OidcProvider is "https://oidc.example.com/id/1", which is not the issuer without https://.',
  },
  { given: "oidc.example.com/id/1", problem: undefined },
])("When a parameter is $given, the problem should be: $problem", ({ given, problem }) => {
  const parameter = {
    Default: given,
    AllowedPattern: "(?!https?://).*",
    ConstraintDescription: "the issuer without https://",
  };
  expect(templateProblem({ Parameters: { OidcProvider: parameter }, Resources: {} })).toBe(problem);
});

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
