import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { isKind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { deliverySystem } from "../support/messages/delivery-system.ts";

const name = "99-worker-generated-registries";

function registriesConf(machineConfig: KubernetesObject | undefined): string {
  const files = machineConfig ? readMachineConfigFiles(machineConfig) : [];
  return files.find(({ path }) => path === nodePaths.registriesConf)?.contents ?? "";
}

/** Returns the digest of a MachineConfig's registries.conf. */
function contentOf(machineConfig: KubernetesObject): string {
  return hash("sha256", registriesConf(machineConfig));
}

/** Returns the digest of the registries.conf that an outcome reports as written. */
function reportedBy({ data }: OutcomeEvent): string {
  const files: readonly Readonly<{ path: string; sha256: string }>[] = Object(data).files;
  return files.find(({ path }) => path === nodePaths.registriesConf)?.sha256 ?? "";
}

/** A pool and a mirror set, and each content that its MachineConfig ever had. */
function aSystem() {
  const system = deliverySystem(mirrorConfig);
  for (const object of [anImageConfig(), aClusterVersion(), aPool("worker")]) system.hub.put(object);
  const rendered = () => system.published.filter(({ type }) => type.endsWith(".rendered"));
  return {
    ...system,
    written: () =>
      system.changes.flatMap(({ verb, object }) =>
        verb !== "delete" && isKind(kinds.MachineConfig, object) ? contentOf(object) : [],
      ),
    rendered,
    idsOf: (content: string) =>
      new Set(
        rendered()
          .filter((event) => reportedBy(event) === content)
          .map(({ id }) => id),
      ),
    /** A person gives the mirror set another mirror, and the forwarder reports it. */
    edit(mirror: string): void {
      const rules = [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }];
      system.notify(referenceTo(system.hub.put(aDigestMirrorSet("acme", rules))));
    },
    registriesConf: () => registriesConf(system.hub.find(kinds.MachineConfig, name)),
    resync: () => system.notify({ ...kinds.MachineConfigPool, name: "worker" }, "add"),
  };
}

/** Expects one outcome, with one id, for every content that was written, and no other outcome. */
function expectTruth({ written, rendered, idsOf }: ReturnType<typeof aSystem>): void {
  expect(new Set(rendered().map(reportedBy))).toEqual(new Set(written()));
  for (const content of written()) expect(idsOf(content).size).toBe(1);
}

describe("outcomes of writes", () => {
  test("When the topic is down for an hour of changes, it should write each at once and report all of them later", async () => {
    const system = aSystem();
    const { step } = system.aProcess();
    system.topicIs("down");
    for (let minute = 0; minute < 60; minute++) {
      system.edit(`m${minute}`);
      await step();
      expect(system.registriesConf()).toContain(`m${minute}.example.com`);
      for (let part = 0; part < 4; part++) {
        system.pass(15);
        await step();
      }
    }
    expect(system.published).toEqual([]);
    system.topicIs("up");
    for (let round = 0; round < 200; round++) {
      system.pass(15);
      await step();
    }
    expect(system.written()).toHaveLength(60);
    expectTruth(system);
    expect([system.messages, system.deadLetters]).toEqual([[], []]);
  });

  test("When a process is killed after any of its requests, with or without another change before the retry, it should report what was written", async () => {
    let kills = 0;
    for (const isOvertaken of [false, true])
      for (let requests = 0; ; requests++) {
        const system = aSystem();
        system.edit("m1");
        await system.aProcess().step();
        system.edit("m2");
        const { isKilled } = await system.aProcess().step(requests);
        if (isOvertaken) {
          system.edit("m3");
          await system.aProcess().step();
        }
        system.pass(31);
        await system.aProcess().step();
        expectTruth(system);
        expect(system.messages).toEqual([]);
        if (!isKilled) break;
        kills++;
      }
    expect(kills).toBeGreaterThan(20);
  });

  test("When a message that is delivered again finds nothing to do, it should publish the outcome again, under its id", async () => {
    const system = aSystem();
    system.edit("m1");
    await system.aProcess().step();
    const [first] = system.published;
    const [content = ""] = system.written();
    system.published.length = 0;
    system.notify({ ...kinds.ImageDigestMirrorSet, name: "acme" });
    // Its first process read nothing, so what it may have done is unknown.
    expect(await system.aProcess().step(0)).toEqual({ isKilled: true });
    system.pass(31);
    await system.aProcess().step();
    expect(system.published.map(({ id }) => id)).toEqual([first?.id]);
    expect(system.written()).toEqual([content]);
  });

  test("When a write loses a race, it should not report what was never written", async () => {
    const system = aSystem();
    system.edit("m1");
    await system.aProcess().step();
    let isFirst = true;
    const raced: Hub = {
      ...system.hub,
      update: async (object) => {
        const present = system.hub.find(kinds.MachineConfig, name);
        if (isFirst && present && isKind(kinds.MachineConfig, object)) {
          isFirst = false;
          const rules = [{ source: "quay.io/acme", mirrors: ["m3.example.com/acme"] }];
          system.hub.put(aDigestMirrorSet("acme", rules));
          const annotations = { ...present.metadata.annotations, touched: "by somebody" };
          system.hub.put({ ...present, metadata: { ...present.metadata, annotations } });
        }
        return system.hub.update(object);
      },
    };
    system.edit("m2");
    await system.aProcess(raced).step();
    expect(system.entries.some(({ event }) => event === "conflict")).toBe(true);
    expect(new Set(system.written()).size).toBe(2);
    expectTruth(system);
  });
});
