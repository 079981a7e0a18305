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

const write = { verb: "update", object: pool("worker"), reason: "a rule" } as const;
const report = { verb: "create", object: reported, reason: "reports" } as const;

describe("a verification", () => {
  test.for<readonly [what: string, plan: Partial<Plan>, differs: boolean, attention: boolean]>([
    ["nothing is to be done", { decisions: [settled] }, false, false],
    ["another writer has to write", { decisions: [{ ...settled, differences: ["changed"] }] }, true, true],
    ["the function itself would write", { actions: [write] }, true, true],
    ["only an Event would be written", { actions: [report] }, false, false],
    ["an object has an error", { issues: [issue("error")] }, false, true],
    ["an object has a warning", { issues: [issue("warning")] }, false, false],
  ])("When $0, it should differ: $2, and need attention: $3", ([, plan, differs, attention]) => {
    const found = verificationOf("mirror-config", "cluster", { ...nothing, ...plan });
    expect([found.differs, needsAttention(found)]).toEqual([differs, attention]);
  });

  test("When objects and Events would be written, it should report the objects", () => {
    const { writes } = verificationOf("mirror-config", "cluster", { ...nothing, actions: [write, report] });
    expect(writes).toEqual([{ verb: "update", object: "MachineConfigPool/worker", reason: "a rule" }]);
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
