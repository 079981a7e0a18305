import { expect, test } from "vitest";
import { namespacePolicyPath, nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { policyChanges } from "./policy-change.ts";

const accept = [{ type: "insecureAcceptAnything" }];
const reject = [{ type: "reject" }];
const signed = (key: string) => [{ type: "sigstoreSigned", keyData: btoa(key) }];
const policy = (fallback: unknown, docker: Readonly<Record<string, unknown>> = {}) =>
  textFile(nodePaths.policy, JSON.stringify({ default: fallback, transports: { docker } }));
const ofNamespace = (namespace: string, docker: Readonly<Record<string, unknown>>) => ({
  ...policy(accept, docker),
  path: namespacePolicyPath(namespace),
});
type Files = Parameters<typeof policyChanges>[0];
const shown = (before: Files, after: Files) =>
  policyChanges(before, after).map(({ effect, text }) => `${effect}: ${text}`);

test.for<[name: string, before: Files, after: Files, changes: readonly string[]]>([
  ["nothing changes", [policy(accept)], [], []],
  [
    "an allow-list is removed",
    [policy(reject, { "quay.io": accept, "a.io/x": accept })],
    [policy(accept)],
    ["weaker: all registries: any image may be pulled; before only images of a.io/x, quay.io may be pulled"],
  ],
  [
    "an allow-list is added",
    [],
    [policy(reject, { "quay.io": accept })],
    ["stricter: all registries: only images of quay.io may be pulled; before any image may be pulled"],
  ],
  [
    "a registry is added to an allow-list",
    [policy(reject, { "quay.io": accept })],
    [policy(reject, { "quay.io": accept, "a.io": accept })],
    ["weaker: a.io: any image may be pulled; before no image may be pulled"],
  ],
  [
    "a namespace of an allowed registry is added",
    [policy(reject, { "quay.io": accept })],
    [policy(reject, { "quay.io": accept, "quay.io/ns": accept })],
    [],
  ],
  [
    "a registry is blocked",
    [],
    [policy(accept, { "*.example.com": reject, "a.example.com": reject })],
    ["stricter: *.example.com: no image may be pulled; before any image may be pulled"],
  ],
  [
    "a signature is required",
    [],
    [policy(accept, { "quay.io/ns:v1": signed("a") })],
    [
      "stricter: quay.io/ns:v1: only images with the required signature may be pulled; before any image may be pulled",
    ],
  ],
  [
    "another key signs",
    [policy(accept, { "quay.io": signed("a") })],
    [policy(accept, { "quay.io": signed("b") })],
    ["other: quay.io: other signatures are required than before"],
  ],
  [
    "a signature is no longer required, and the rest no longer accepted",
    [policy(accept, { "quay.io": signed("a") })],
    [policy(reject, { "quay.io": accept })],
    [
      "stricter: all registries: only images of quay.io may be pulled; before any image may be pulled",
      "weaker: quay.io: any image may be pulled; before only images with the required signature may be pulled",
    ],
  ],
  [
    "a namespace gets a policy",
    [policy(accept, { "quay.io": reject })],
    [policy(accept, { "quay.io": reject }), ofNamespace("shop", { "quay.io": reject, "a.io": signed("a") })],
    [
      "stricter: a.io in namespace shop: only images with the required signature may be pulled; before any image may be pulled",
    ],
  ],
  [
    "the policy of all pods changes",
    [policy(accept), ofNamespace("shop", { "a.io": reject })],
    [policy(accept, { "quay.io": reject }), ofNamespace("shop", { "a.io": reject, "quay.io": reject })],
    ["stricter: quay.io: no image may be pulled; before any image may be pulled"],
  ],
  ["the new policy is invalid", [policy(accept)], [textFile(nodePaths.policy, "{")], []],
])("When %s, it should be said by scope", ([, before, after, changes]) => {
  expect(shown(before, after)).toEqual(changes);
});
