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
    "--param functions=pods: it must be one of lambda, none.",
  );
  const allowed = { Functions: { ...parameter, Default: "none" }, HubVersion: { Default: "4.20" } };
  expect(templateProblem({ Parameters: allowed, Resources: {} })).toBeUndefined();
});
