import { describe, expect, test } from "vitest";
import type { Issue } from "../domain/issues/issue.ts";
import { type KubernetesObject, kinds } from "../domain/kubernetes/object.ts";
import type { Plan } from "../domain/plan/plan.ts";
import { noExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Controller } from "./controller.ts";
import { needsAttention, verificationOf, verify } from "./verify.ts";

const nothing: Plan = { decisions: [], issues: [], actions: [] };
const pool = (name: string): KubernetesObject => ({
  apiVersion: kinds.MachineConfigPool.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name },
});
const reported: KubernetesObject = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "reported", namespace: "default" },
};
const settled = { subject: "worker", verdict: "unchanged", reason: "it is right" };
const issue = (severity: Issue["severity"]): Issue => ({
  code: "InvalidScope",
  severity,
  object: { kind: "MachineConfigPool", name: "worker" },
  path: "spec",
  value: undefined,
  message: "wrong",
  remedy: "fix",
});

const cases = [
  {
    name: "When nothing is to be done, it should need no attention",
    plan: { ...nothing, decisions: [settled] },
    expected: { differs: false, attention: false, writes: [] },
  },
  {
    name: "When another writer has to write the difference, it should differ",
    plan: { ...nothing, decisions: [{ ...settled, differences: ["quay.io changed"] }] },
    expected: { differs: true, attention: true, writes: [] },
  },
  {
    name: "When the function itself would write, it should differ and report what would be written",
    plan: { ...nothing, actions: [{ verb: "update", object: pool("worker"), reason: "a rule" } as const] },
    expected: {
      differs: true,
      attention: true,
      writes: [{ verb: "update", object: "MachineConfigPool/worker", reason: "a rule" }],
    },
  },
  {
    name: "When only an Event would be written, it should not differ",
    plan: { ...nothing, actions: [{ verb: "create", object: reported, reason: "reports" } as const] },
    expected: { differs: false, attention: false, writes: [] },
  },
  {
    name: "When an object has an error, it should need attention without a difference",
    plan: { ...nothing, issues: [issue("error")] },
    expected: { differs: false, attention: true, writes: [] },
  },
  {
    name: "When an object has a warning, it should need no attention",
    plan: { ...nothing, issues: [issue("warning")] },
    expected: { differs: false, attention: false, writes: [] },
  },
];

describe("a verification", () => {
  test.for(cases)("$name", ({ plan, expected }) => {
    const found = verificationOf("mirror-config", "cluster", plan);
    const { differs, writes } = found;
    expect({ differs, attention: needsAttention(found), writes }).toEqual(expected);
  });

  test("When a hub has many things, it should decide about each once, in the hub's order", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `pool-${String(index).padStart(2, "0")}`);
    const hub: HubReader = {
      id: "urn:test:hub",
      get: async () => undefined,
      list: async () => names.flatMap((name) => [pool(name), pool(name)]),
    };
    const controller: Controller = {
      name: "pools",
      queue: "pools",
      watches: [
        { kind: kinds.MachineConfigPool, mapToKeys: ({ name }) => (name === "pool-07" ? [] : [{ name }]) },
      ],
      plan: async ({ key }) => ({ ...nothing, decisions: [{ ...settled, subject: key }] }),
    };
    const found = await verify(hub, [controller], () => new Date(0), noExternalPorts);
    expect(found.flatMap(({ decisions }) => decisions.map(({ subject }) => subject))).toEqual(
      names.filter((name) => name !== "pool-07"),
    );
  });
});
