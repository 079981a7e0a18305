import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { acme, contradicting, worker } from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  mcoAnnotation,
  release,
  storage,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";

test("When an outcome is repeated, it should keep its id, and another transition should get a new one", () => {
  const [first] = outcomesOf(decide(aHub()));
  const [repeated] = outcomesOf(decide(aHub({ now: new Date("2026-03-01T05:00:00Z") })));
  expect(repeated?.id).toBe(first?.id);
  const shrunk = decide({ ...afterwards(aHub(), decide(aHub())), mirrorObjects: [] });
  expect(outcomesOf(shrunk)[0]?.id).not.toBe(first?.id);
});

test("When a change is rendered, its outcome should have rules, files, cost and issues", () => {
  const duplicate = { ...release, metadata: { ...release.metadata, name: "same" } };
  const plan = decide(aHub({ pools: worker, mirrorObjects: [release, duplicate] }));
  const [outcome] = outcomesOf(plan);
  const [file] = plan.actions.flatMap(({ object }) =>
    object.kind === "Event" ? [] : readMachineConfigFiles(object),
  );
  expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "99-worker-generated-registries" });
  expect(outcome?.data).toMatchObject({
    pool: "worker",
    machineConfig: "99-worker-generated-registries",
    rules: { applied: 2, leftOut: 0 },
    files: [
      {
        path: "/etc/containers/registries.conf",
        bytes: Buffer.byteLength(file?.contents ?? ""),
        sha256: hash("sha256", file?.contents ?? ""),
      },
    ],
    cost: { cost: "reload" },
    conditions: [],
    issueCount: 1,
    issues: [{ code: "DuplicateRule" }],
  });
  expect(outcome?.data).not.toHaveProperty("window");
});

test("When many files and sources change, the outcome should carry fifty changes", () => {
  const sources = Array.from({ length: 60 }, (_, index) => ({
    source: `quay.io/r${index}`,
    mirrors: ["m.example"],
  }));
  const plan = decide(aHub({ pools: worker, mirrorObjects: [aDigestMirrorSet("many", sources)] }));
  expect(Object(outcomesOf(plan)[0]?.data.cost).changes).toHaveLength(50);
});

test("When a message is delivered again, it should publish the outcomes of its last writes again", () => {
  const hub = aHub({ mirrorObjects: [release, storage] });
  const first = decide(hub);
  const before = afterwards(hub, first);
  const ids = ({ standing }: Plan) => standing?.(hub.now).map(({ id }) => id);
  expect(ids(decide(before))).toEqual(outcomesOf(first).map(({ id }) => id));
  const other = { ...before, hubId: "urn:test:other" };
  expect(ids(decide(other))).toEqual([]);
  const refusing = aHub({
    pools: worker,
    machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    mirrorObjects: [storage],
  });
  const refused = decide(refusing);
  expect(ids(decide(afterwards(refusing, refused)))).toEqual(outcomesOf(refused).map(({ id }) => id));
});

test("When mirror objects are read in another order, the plan should be the same", () => {
  const mirrorObjects = [release, storage, acme("m.example"), contradicting("NeverContactSource")];
  const shuffled = fc.shuffledSubarray(mirrorObjects, { minLength: mirrorObjects.length });
  const inOrder = decide(aHub({ mirrorObjects }));
  fc.assert(
    fc.property(shuffled, (objects) => {
      const plan = decide(aHub({ mirrorObjects: objects }));
      expect(plan.actions).toEqual(inOrder.actions);
      expect(plan.decisions).toEqual(inOrder.decisions);
    }),
    { numRuns: 30 },
  );
});
