import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { aStoredUpgrade, reportsFor, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import { observe } from "./observe.ts";

const planned = aStoredUpgrade(["sno1", "sno2"]);
const cgu = { ...planned, spec: { ...Object(planned.spec), preCachingConfigRef: { name: "config" } } };
const config: KubernetesObject = {
  apiVersion: kinds.PreCachingConfig.apiVersion,
  kind: kinds.PreCachingConfig.kind,
  metadata: { namespace: "default", name: "config" },
};
const other = aStoredUpgrade(["sno2"], { name: "other", states: { sno2: "Active" } });
const pausing = { state: "Active", reason: "Pulling", suspend: true } as const;
const claimed = { state: "PreparingToStart", reason: "Claimed" } as const;

/** A hub whose records become `later` while the first ManifestWork is read. */
function hubWith(records: Parameters<typeof reportsFor>[1], later = records) {
  const hub = memoryHub({ id: "urn:test:hub", now: () => now });
  for (const object of [cgu, config, other, workFor(cgu, "sno1")]) hub.put(object);
  for (const report of reportsFor(cgu, records)) hub.put(report);
  const read: string[] = [];
  const reader: HubReader = {
    ...hub,
    get: async (kind, name, namespace) => {
      read.push(kind.kind);
      const found = await hub.get(kind, name, namespace);
      if (kind === kinds.ManifestWork) for (const report of reportsFor(cgu, later)) hub.put(report);
      return found;
    },
    list: (kind, options) => {
      read.push(kind.kind);
      return hub.list(kind, options);
    },
  };
  return {
    read,
    snapshot: () =>
      observe({
        hub: reader,
        key: "default/upgrade",
        parts: ["sno1", "sno2"],
        now,
        external: noExternalPorts,
      }),
  };
}

test("When a Job is to be suspended, its ManifestWork should be read before the record that decides so", async () => {
  const { read, snapshot } = hubWith({ sno1: pausing }, { sno1: { ...pausing, suspend: false } });
  const { works, reports } = await snapshot();
  expect(works.map(({ metadata }) => metadata.namespace)).toEqual(["sno1"]);
  expect(reports[0]?.clusters).toMatchObject({ sno1: { suspend: false } });
  expect(read.lastIndexOf("PreCachingReport")).toBeGreaterThan(read.indexOf("ManifestWork"));
});

test("When a cluster gets a slot while another's ManifestWork is read, what its own is made from should be read too", async () => {
  const { snapshot } = hubWith({ sno1: pausing }, { sno1: pausing, sno2: claimed });
  const found = await snapshot();
  expect(found.config?.metadata.name).toBe("config");
  expect(found.others.map(({ metadata }) => metadata.name)).toEqual(["other"]);
});

test("When no cluster starts or pauses, only the upgrade and its reports should be read", async () => {
  const { read, snapshot } = hubWith({ sno1: { state: "Succeeded", reason: "Completed" } });
  expect((await snapshot()).clusters).toEqual(["sno1", "sno2"]);
  expect(read).toEqual(["ClusterGroupUpgrade", "PreCachingReport"]);
});
