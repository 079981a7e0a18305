import { describe, expect, test } from "vitest";
import { decide } from "#functions/mirror-config/decide.ts";
import type { Snapshot } from "#functions/mirror-config/observe.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { outcomesOf } from "../messages/outcomes-of.ts";
import { afterwards, foreignMachineConfig, release } from "./mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet, aVerifiedPool } from "./objects.ts";

/** A hub, and what mirror-config decides, writes and reports about it, a line each. */
export type Case = Readonly<{ name: string; hub: Snapshot; report: readonly string[] }>;

/** What a plan decides, writes and reports, a line each. */
export const reportOf = (plan: Plan): readonly string[] => [
  ...plan.decisions.flatMap(({ subject, verdict, reason, owner, differences = [] }) => [
    `${owner ? `${subject} (${owner})` : subject} ${verdict}: ${reason}`,
    ...differences.map((difference) => `  ${difference}`),
  ]),
  ...plan.actions.map(({ verb, object, reason }) => {
    if (object.kind === "Event") return `${verb} Event ${object.type} ${object.reason}: ${object.message}`;
    return `${verb} ${object.kind} ${object.metadata.name}: ${reason}`;
  }),
  ...outcomesOf(plan).map(
    ({ type, subject }) => `outcome ${type.replace("dev.hubrelay.mirror-config.", "")} ${subject}`,
  ),
  ...(plan.requeueAt ? [`requeue ${plan.requeueAt.toISOString()}`] : []),
];

/** Declares the tests of a table: the first plan is as reported, and the next one has nothing left to do. */
export function decideAsReported(cases: readonly Case[]): void {
  describe("decide", () => {
    test.for(cases)("$name", ({ hub, report }) => {
      expect(reportOf(decide(hub))).toEqual(report);
    });

    test.for(cases)("$name; and deciding again afterwards should change nothing", ({ hub }) => {
      const again = decide(afterwards(hub, decide(hub)));
      expect(again.actions).toEqual([]);
      expect(outcomesOf(again)).toEqual([]);
    });
  });
}

/** Handed over to hubrelay. */
export const worker = [aPool("worker")];
export const verifiedWorker = [aVerifiedPool("worker")];
export const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
export const blocked = anImageConfig({ blockedRegistries: ["quay.io/acme"] });
export const acme = (...mirrors: readonly string[]) =>
  aTagMirrorSet("tags", [{ source: "quay.io/acme", mirrors }]);

/** A rule of quay.io/acme; rules with different policies contradict each other. */
export const contradicting = (mirrorSourcePolicy: string) =>
  aDigestMirrorSet(mirrorSourcePolicy.toLowerCase(), [
    { source: "quay.io/acme", mirrors: ["m.example/acme"], mirrorSourcePolicy },
  ]);

/** The worker's MachineConfig as hubrelay wrote it for these mirror objects, with other metadata since. */
export function ownMachineConfig(metadata: object = {}, mirrorObjects = [release]): KubernetesObject {
  const written = foreignMachineConfig({ "hubrelay.dev/owned-by": "mirror-config" }, mirrorObjects);
  return { ...written, metadata: { ...written.metadata, ...metadata } };
}
