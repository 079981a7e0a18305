import { expect, test } from "vitest";
import { forgottenParameters, givenIn, missingParameter } from "./deployment-parameters.ts";

const values = { functions: "lambda", subnetIds: "", logRetentionInDays: 180 };

test.for([
  { why: "nothing was given", last: {}, given: {} },
  { why: "the same is given", last: { functions: "none" }, given: { functions: "none" } },
  { why: "another value is given", last: { functions: "none" }, given: { functions: "lambda" } },
  { why: "serverless.yml has the value by now", last: { logRetentionInDays: "180" }, given: {} },
  { why: "it is unset", last: { functions: "none" }, given: { functions: null } },
  { why: "it was unset the last time", last: { functions: null }, given: {} },
  { why: "there is no such parameter any more", last: { colour: "blue" }, given: {} },
])("When a stack is deployed again and $why, there should be no problem", ({ last, given }) => {
  expect(forgottenParameters("hubrelay-prod", last, { given, values })).toBeUndefined();
});

test("When a deployment would change parameters that nobody mentions, the problem should name each with both values, and the fix", () => {
  const last = { functions: "none", subnetIds: "a,b", hub: "east" };
  expect(
    forgottenParameters("hubrelay-prod", last, { given: {}, values: { ...values, hub: "only" } }),
  ).toBe(`The last deployment of hubrelay-prod had parameters that this one lacks. Nothing was changed; this would change
  functions from "none" to "lambda"
  subnetIds from "a,b" to ""
  hub from "east" to "only"
Fix: add --param functions=none --param subnetIds=a,b --hub east
To change them instead: add --unset functions --unset subnetIds --unset hub`);
});

test("When a value has characters that a shell reads, the fix should quote it", () => {
  const last = { hubId: "it's a hub" };
  const problem = forgottenParameters("hubrelay-prod", last, { given: {}, values: { hubId: "hub-prod" } });
  expect(problem).toContain(`add --param 'hubId=it'\\''s a hub'`);
});

test.for([
  {
    template: {
      Resources: { ServerlessDeploymentBucket: { Metadata: { parameters: '{"functions":"none"}' } } },
    },
    given: { functions: "none" },
  },
  { template: { Resources: { ServerlessDeploymentBucket: {} } }, given: {} },
  { template: { Resources: {} }, given: {} },
])("When the deployed template is $template, the parameters should be $given", ({ template, given }) => {
  expect(givenIn(JSON.stringify(template))).toEqual(given);
});

test.for([
  { values: { functions: "lambda", workloadImage: "" }, missing: true },
  { values: { functions: "lambda", workloadImage: "registry.lab/workload:1" }, missing: false },
  { values: { functions: "none", workloadImage: "" }, missing: false },
])("When a deployment has $values, a missing image should be reported: $missing", ({ values, missing }) => {
  const problem = missingParameter(values);
  if (missing) expect(problem).toMatch(/^workloadImage is not set: .*Fix: build .*--param workloadImage=/);
  else expect(problem).toBeUndefined();
});
