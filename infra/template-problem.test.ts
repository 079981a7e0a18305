import { expect, test } from "vitest";
import { templateProblem } from "./template-problem.ts";

test.for([
  [{ HUBRELAY_LOG_LEVEL: "verbose" }, "HUBRELAY_LOG_LEVEL is not a log level"],
  [{ HUBRELAY_HUB_VERSION: "latest" }, "HUBRELAY_HUB_VERSION is not a version"],
  [
    { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: "quay.io/acme/workload:1" },
    "HUBRELAY_WORKLOAD_IMAGE has no digest",
  ],
] as const)("When a function could not start with $0, the problem should say why", ([variables, problem]) => {
  const Properties = { FunctionName: "hubrelay-prod-precache-plan", Environment: { Variables: variables } };
  const Resources = { One: { Type: "AWS::Lambda::Function", Properties } };
  expect(templateProblem({ Parameters: {}, Resources })).toContain(
    `hubrelay-prod-precache-plan could not start: ${problem}`,
  );
});

test("When variables of a function are known only to AWS, there should be no problem", () => {
  const Variables = { HUBRELAY_QUEUE_URL: { Ref: "Queue" }, HUBRELAY_LOG_LEVEL: "debug" };
  const Resources = { One: { Type: "AWS::Lambda::Function", Properties: { Environment: { Variables } } } };
  expect(templateProblem({ Parameters: {}, Resources })).toBeUndefined();
});
