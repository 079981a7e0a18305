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

test.for<{ name: string; before: Files; after: Files; changes: readonly string[] }>([
  { name: "nothing changes", before: [policy(accept)], after: [], changes: [] },
  {
    name: "an allow-list is removed",
    before: [policy(reject, { "quay.io": accept, "a.io/x": accept })],
    after: [policy(accept)],
    changes: [
      "weaker: all registries: any image may be pulled; before only images of a.io/x, quay.io may be pulled",
    ],
  },
  {
    name: "an allow-list is added",
    before: [],
    after: [policy(reject, { "quay.io": accept })],
    changes: [
      "stricter: all registries: only images of quay.io may be pulled; before any image may be pulled",
    ],
  },
  {
    name: "a registry is added to an allow-list",
    before: [policy(reject, { "quay.io": accept })],
    after: [policy(reject, { "quay.io": accept, "a.io": accept })],
    changes: ["weaker: a.io: any image may be pulled; before no image may be pulled"],
  },
  {
    name: "a namespace of an allowed registry is added",
    before: [policy(reject, { "quay.io": accept })],
    after: [policy(reject, { "quay.io": accept, "quay.io/ns": accept })],
    changes: [],
  },
  {
    name: "a registry is blocked",
    before: [],
    after: [policy(accept, { "*.example.com": reject, "a.example.com": reject })],
    changes: ["stricter: *.example.com: no image may be pulled; before any image may be pulled"],
  },
  {
    name: "a signature is required",
    before: [],
    after: [policy(accept, { "quay.io/ns:v1": signed("a") })],
    changes: [
      "stricter: quay.io/ns:v1: only images with the required signature may be pulled; before any image may be pulled",
    ],
  },
  {
    name: "another key signs",
    before: [policy(accept, { "quay.io": signed("a") })],
    after: [policy(accept, { "quay.io": signed("b") })],
    changes: ["other: quay.io: other signatures are required than before"],
  },
  {
    name: "a signature is no longer required, and the rest no longer accepted",
    before: [policy(accept, { "quay.io": signed("a") })],
    after: [policy(reject, { "quay.io": accept })],
    changes: [
      "stricter: all registries: only images of quay.io may be pulled; before any image may be pulled",
      "weaker: quay.io: any image may be pulled; before only images with the required signature may be pulled",
    ],
  },
  {
    name: "a namespace gets a policy",
    before: [policy(accept, { "quay.io": reject })],
    after: [
      policy(accept, { "quay.io": reject }),
      ofNamespace("shop", { "quay.io": reject, "a.io": signed("a") }),
    ],
    changes: [
      "stricter: a.io in namespace shop: only images with the required signature may be pulled; before any image may be pulled",
    ],
  },
  {
    name: "the policy of all pods changes",
    before: [policy(accept), ofNamespace("shop", { "a.io": reject })],
    after: [
      policy(accept, { "quay.io": reject }),
      ofNamespace("shop", { "a.io": reject, "quay.io": reject }),
    ],
    changes: ["stricter: quay.io: no image may be pulled; before any image may be pulled"],
  },
  {
    name: "the new policy is invalid",
    before: [policy(accept)],
    after: [textFile(nodePaths.policy, "{")],
    changes: [],
  },
])("When $name, it should be said by scope", ({ before, after, changes }) => {
  expect(shown(before, after)).toEqual(changes);
});
