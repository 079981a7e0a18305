import { expect, test } from "vitest";
import { policyTemplate } from "../policies/policy-json.ts";
import { policyProblem } from "./policy-format.ts";

/* Random policies are compared with containers/image itself in test/parity/node-files.test.ts; here is what a message names. */

test("When a policy is that of every node, it should be valid", () => {
  expect(policyProblem(policyTemplate)).toBeUndefined();
});

const docker = (requirements: string) =>
  `{"default":[{"type":"reject"}],"transports":{"docker":{"quay.io/acme":${requirements}}}}`;

test.for([
  { text: "", said: "it is not JSON" },
  { text: "[]", said: "it is a list, not an object" },
  { text: "{}", said: "it has no default" },
  { text: '{"default":[]}', said: "default: it has no requirements" },
  { text: '{"default":[{"type":"reject"}],"comment":"x"}', said: 'it has the unknown key "comment"' },
  { text: '{"default":[{"type":"reject","type":"reject"}]}', said: 'it has the key "type" twice' },
  { text: docker("[]"), said: 'transports.docker["quay.io/acme"]: it has no requirements' },
  {
    text: docker('[{"type":"sigstoreSign","keyPath":"/a"}]'),
    said: 'transports.docker["quay.io/acme"][0]: it has the unknown type of requirement "sigstoreSign"',
  },
  {
    text: docker('[{"type":"sigstoreSigned","keyPath":"/a","keyData":"YQ=="}]'),
    said: "it must have exactly one of keyPath, keyPaths, keyData, keyDatas, fulcio and pki",
  },
  {
    text: docker('[{"type":"sigstoreSigned","keyPath":"/a","signedIdentity":{"type":"matchAny"}}]'),
    said: 'signedIdentity: it has the unknown type of identity "matchAny"',
  },
])("When a policy is $text, it should say $said", ({ text, said }) => {
  expect(policyProblem(text)).toMatch(/^it is not a valid signature policy: /);
  expect(policyProblem(text)).toContain(said);
});
