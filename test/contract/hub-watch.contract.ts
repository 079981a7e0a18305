import { describe, expect, test } from "vitest";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { watching } from "../support/hub/watching.ts";
import { aMachineConfig, aMirrorSet, aPool, type Current } from "./hub-under-test.ts";

const { ImageDigestMirrorSet, MachineConfigPool } = kinds;

/** What a watch reports, and in which order. */
export function hubWatch(current: Current): void {
  describe("watch", () => {
    test("When a watch starts, it should add the present objects, report synced, then report every change", async () => {
      const early = await current.hub.create(aMirrorSet(`${current.mine}-early`));
      const watch = watching(current.hub, ImageDigestMirrorSet, current.stop.signal, current.mine);
      await watch.until("synced");
      const late = await current.hub.create(aMirrorSet(`${current.mine}-late`));
      await watch.until(`add ImageDigestMirrorSet/${current.mine}-late`);
      const updated = await current.hub.update({
        ...early,
        spec: aMirrorSet(current.mine, "m2.example.com").spec,
      });
      await watch.until(`update ImageDigestMirrorSet/${current.mine}-early`);
      await current.hub.delete(referenceTo(late));
      await watch.until(`delete ImageDigestMirrorSet/${current.mine}-late`);
      current.stop.abort();
      await watch.ended;
      expect(watch.seen).toEqual([
        `add ImageDigestMirrorSet/${current.mine}-early`,
        "synced",
        `add ImageDigestMirrorSet/${current.mine}-late`,
        `update ImageDigestMirrorSet/${current.mine}-early`,
        `delete ImageDigestMirrorSet/${current.mine}-late`,
      ]);
      expect(watch.changes[0]).toEqual({ verb: "add", object: early });
      expect(watch.changes[3]).toEqual({ verb: "update", object: updated });
      expect(watch.changes[4]).toMatchObject({ object: { metadata: { uid: late.metadata.uid } } });
    });

    test("When objects of other kinds change, it should not report them", async () => {
      const watch = watching(current.hub, MachineConfigPool, current.stop.signal, current.mine);
      await watch.until("synced");
      await current.hub.create(aMachineConfig(current.mine));
      await current.hub.create(aMirrorSet(current.mine));
      await current.hub.create(aPool(current.mine));
      await watch.until(`add MachineConfigPool/${current.mine}`);
      expect(watch.seen).toEqual(["synced", `add MachineConfigPool/${current.mine}`]);
    });

    test("When the status changes, it should report an update with it", async () => {
      const created = await current.hub.create(aPool(current.mine));
      const watch = watching(current.hub, MachineConfigPool, current.stop.signal, current.mine);
      await watch.until("synced");
      const updated = await current.hub.updateStatus({ ...created, status: { machineCount: 3 } });
      await watch.until(`update MachineConfigPool/${current.mine}`);
      expect(watch.changes.at(-1)).toEqual({ verb: "update", object: updated });
    });

    test("When an object is replaced by another of its name, it should report both", async () => {
      const first = await current.hub.create(aMirrorSet(current.mine));
      const watch = watching(current.hub, ImageDigestMirrorSet, current.stop.signal, current.mine);
      await watch.until("synced");
      await current.hub.delete(referenceTo(first));
      const second = await current.hub.create(aMirrorSet(current.mine));
      await watch.until(`delete ImageDigestMirrorSet/${current.mine}`);
      await watch.until(`add ImageDigestMirrorSet/${current.mine}`, 2);
      expect(watch.seen.slice(-2)).toEqual([
        `delete ImageDigestMirrorSet/${current.mine}`,
        `add ImageDigestMirrorSet/${current.mine}`,
      ]);
      expect(watch.changes.at(-1)).toEqual({ verb: "add", object: second });
    });

    test("When only some objects are watched, it should report no others", async () => {
      const other = await current.hub.create(aPool(`${current.mine}-other`));
      const copy = await current.hub.create(aPool(`${current.mine}-copy`, { labels: { copy: "" } }));
      const watches = [{ name: `${current.mine}-other`, metadataOnly: true }, { withoutLabel: "copy" }].map(
        (options) => watching(current.hub, MachineConfigPool, current.stop.signal, current.mine, options),
      );
      for (const watch of watches) await watch.until("synced");
      await current.hub.update({ ...copy, metadata: { ...copy.metadata, labels: { copy: "", more: "" } } });
      await current.hub.delete(referenceTo(other));
      for (const watch of watches) {
        await watch.until(`delete MachineConfigPool/${current.mine}-other`);
        expect(watch.seen).toEqual([
          `add MachineConfigPool/${current.mine}-other`,
          "synced",
          `delete MachineConfigPool/${current.mine}-other`,
        ]);
      }
    });

    test("When it is aborted, before or while it waits, it should end without an error", async () => {
      const waiting = watching(current.hub, ImageDigestMirrorSet, current.stop.signal, current.mine);
      await waiting.until("synced");
      current.stop.abort();
      await waiting.ended;
      const late = watching(current.hub, ImageDigestMirrorSet, current.stop.signal, current.mine);
      await late.ended;
      expect(late.seen).toEqual([]);
    });
  });
}
