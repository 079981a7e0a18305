import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import { findPolicy, readPolicyRules } from "./policy-verdict.ts";

const accept = [{ type: "insecureAcceptAnything" }];
const reject = [{ type: "reject" }];
const signed = [{ type: "sigstoreSigned", keyData: "a2V5" }];
const digest = `sha256:${"d".repeat(64)}`;

function find(policy: unknown, image: string) {
  const reference = tryParseImageReference(image);
  if (!reference) throw new Error(`${image} is not a reference`);
  const rules = readPolicyRules(JSON.stringify(policy));
  if ("problem" in rules) throw new Error(rules.problem);
  return findPolicy(rules, reference);
}

describe("the scope that decides", () => {
  const everything = [
    "x.a.io:5000/ns/app:v1",
    `x.a.io:5000/ns/app@${digest}`,
    "x.a.io:5000/ns/app",
    "x.a.io:5000/ns",
    "x.a.io:5000",
    "*.a.io",
    "*.io",
    "",
  ];
  test.for([
    { image: "x.a.io:5000/ns/app:v1", scopes: everything, scope: "x.a.io:5000/ns/app:v1" },
    { image: `x.a.io:5000/ns/app@${digest}`, scopes: everything, scope: `x.a.io:5000/ns/app@${digest}` },
    { image: "x.a.io:5000/ns/other:v2", scopes: everything, scope: "x.a.io:5000/ns" },
    { image: "y.a.io/app:v1", scopes: everything, scope: "*.a.io" },
    { image: "localhost/app:v1", scopes: everything, scope: "" },
    { image: "x.a.io:5000/ns/app:v1", scopes: ["x.a.io", "a.io", "x.a.io/ns"], scope: null },
    { image: "x.a.io:5000/ns/app:v1", scopes: ["*x.a.io", "*.x.a.io"], scope: null },
    { image: "q.lan/ns-more/app:v1", scopes: ["q.lan/ns"], scope: null },
  ])("When $image is looked up, it should be $scope", ({ image, scopes, scope }) => {
    const docker = Object.fromEntries(scopes.map((name) => [name, signed]));
    expect(find({ default: reject, transports: { docker } }, image)).toEqual({
      section: scope === null ? "default" : "transports.docker",
      scope,
      requirements: scope === null ? reject : signed,
      verdict: scope === null ? "reject" : "signature",
    });
  });
});

describe("the verdict", () => {
  test.for([
    { name: "anything is accepted", requirements: accept, verdict: "accept" },
    { name: "a signature is required", requirements: signed, verdict: "signature" },
    { name: "a signature is required besides", requirements: [...accept, ...signed], verdict: "signature" },
    { name: "one requirement rejects", requirements: [...signed, ...reject], verdict: "reject" },
  ])("When $name, it should be $verdict", ({ requirements, verdict }) => {
    expect(find({ default: requirements }, "a.io/x:v").verdict).toBe(verdict);
  });
});
