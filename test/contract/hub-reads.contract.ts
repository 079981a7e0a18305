import { describe, expect, test } from "vitest";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { aMirrorSet, anEvent, aPool, type Current, failure } from "./hub-under-test.ts";

const { ImageDigestMirrorSet, ImageTagMirrorSet, MachineConfigPool, Event } = kinds;

const version = "contract.hubrelay.dev/v9";
const unknown: Kind = { apiVersion: version, kind: "Gadget", plural: "gadgets", namespaced: false };

/** Created objects are read and listed as stored. */
export function hubReads(current: Current): void {
  const { get, mineOf } = current;

  describe("create and get", () => {
    test("When an object is created, it should return it as stored, with the fields that the hub has set", async () => {
      const created = await current.hub.create(
        aMirrorSet(current.mine, "m1.example.com", { labels: { tier: "gold" } }),
      );
      expect(created).toMatchObject(aMirrorSet(current.mine, "m1.example.com", { labels: { tier: "gold" } }));
      expect(created.metadata).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        generation: 1,
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      expect(await current.hub.get(ImageDigestMirrorSet, current.mine)).toEqual(created);
    });

    test("When an object does not exist, it should return undefined", async () => {
      expect(await current.hub.get(ImageDigestMirrorSet, current.mine)).toBeUndefined();
      expect(await current.hub.get(Event, current.mine, "default")).toBeUndefined();
    });

    test("When another kind has an object of that name, it should not return that", async () => {
      await current.hub.create(aMirrorSet(current.mine));
      expect(await current.hub.get(ImageTagMirrorSet, current.mine)).toBeUndefined();
    });

    test("When an object is in another namespace, it should not return it", async () => {
      await current.hub.create(anEvent(current.mine, current.mine));
      expect(await current.hub.get(Event, current.mine, "kube-system")).toBeUndefined();
      expect((await get(Event, current.mine, "default")).reason).toBe("SourceInvalid");
    });

    test("When the kind is not installed, it should return undefined", async () => {
      expect(await current.hub.get(unknown, current.mine)).toBeUndefined();
    });

    test("When the object exists already, it should refuse and keep the first", async () => {
      const first = await current.hub.create(aMirrorSet(current.mine));
      expect(await failure(current.hub.create(aMirrorSet(current.mine, "m2.example.com")))).toBe(
        "AlreadyExists",
      );
      expect(await current.hub.get(ImageDigestMirrorSet, current.mine)).toEqual(first);
    });

    test("When several clients create the same object at once, one should win", async () => {
      const attempts = [1, 2, 3, 4].map((index) =>
        failure(current.hub.create(aMirrorSet(current.mine, `m${index}.example.com`))),
      );
      const outcomes = (await Promise.all(attempts)).sort();
      expect(outcomes).toEqual(["AlreadyExists", "AlreadyExists", "AlreadyExists", "it did not fail"]);
    });

    test.for([
      { title: "the name has capital letters", metadata: { name: "Capital" } },
      { title: "the name ends with a dot", metadata: { name: "dot." } },
      { title: "the name is too long", metadata: { name: "a".repeat(254) } },
    ])("When $title, it should be invalid", async ({ metadata }) => {
      const object = aMirrorSet(current.mine);
      const refused = { ...object, metadata: { ...object.metadata, ...metadata } };
      expect(await failure(current.hub.create(refused))).toBe("Invalid");
    });

    test("When a resourceVersion is set, it should refuse to create", async () => {
      const code = await failure(
        current.hub.create(aMirrorSet(current.mine, "m1.example.com", { resourceVersion: "1" })),
      );
      expect(["Invalid", "InternalError"]).toContain(code); // Kubernetes has no proper status for it
      expect(await current.hub.get(ImageDigestMirrorSet, current.mine)).toBeUndefined();
    });

    test("When a name has 253 characters, it should be accepted", async () => {
      const long = current.mine.padEnd(253, "x");
      await current.hub.create(aMirrorSet(long));
      expect(mineOf(await current.hub.list(ImageDigestMirrorSet))).toEqual([long]);
    });

    test("When status and fields of the hub are sent along, it should set its own", async () => {
      const object = aPool(current.mine, { uid: "5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55", generation: 7 });
      const created = await current.hub.create({ ...object, status: { machineCount: 3 } });
      expect(created.metadata.uid).not.toBe("5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55");
      expect(created.metadata.generation).toBe(1);
      expect(created.status).toBeUndefined();
    });

    test("When strings look like other types, it should keep them", async () => {
      const annotations = {
        a: "yes",
        b: "010",
        c: "1e3",
        d: "~",
        e: " x\n",
        f: "2026-03-01",
        g: "é\u0085😀",
        h: "",
      };
      const { metadata } = await current.hub.create(
        aMirrorSet(current.mine, "m1.example.com", { annotations }),
      );
      expect(metadata.annotations).toEqual(annotations);
      expect((await get(ImageDigestMirrorSet, current.mine)).metadata.annotations).toEqual(annotations);
    });
  });

  describe("list", () => {
    test("When there are several objects, it should sort them and set kind and version of each", async () => {
      for (const suffix of ["b", "a", "10", "9"])
        await current.hub.create(aMirrorSet(`${current.mine}-${suffix}`));
      const listed = (await current.hub.list(ImageDigestMirrorSet)).filter(({ metadata }) =>
        metadata.name.includes(current.mine),
      );
      expect(listed.map(({ metadata }) => metadata.name)).toEqual(
        ["10", "9", "a", "b"].map((suffix) => `${current.mine}-${suffix}`),
      );
      expect(listed[0]).toEqual(await get(ImageDigestMirrorSet, `${current.mine}-10`));
      for (const { apiVersion, kind } of listed)
        expect({ apiVersion, kind }).toEqual({
          apiVersion: "config.openshift.io/v1",
          kind: "ImageDigestMirrorSet",
        });
    });

    test("When the kind belongs to the core group, its items should have kind and version, too", async () => {
      const event = await current.hub.create(anEvent(current.mine, current.mine));
      const listed = await current.hub.list(Event, { namespace: "default" });
      expect(listed.find(({ metadata }) => metadata.name === current.mine)).toEqual(event);
      expect(event).toMatchObject({ apiVersion: "v1", kind: "Event" });
    });

    test("When labels are given, it should list objects that have all of them", async () => {
      await current.hub.create(aPool(`${current.mine}-a`, { labels: { tier: "gold", site: "x" } }));
      await current.hub.create(aPool(`${current.mine}-b`, { labels: { tier: "gold" } }));
      await current.hub.create(aPool(`${current.mine}-c`));
      const labelled = async (labels: Record<string, string>) =>
        mineOf(await current.hub.list(MachineConfigPool, { labels }));
      expect(mineOf(await current.hub.list(MachineConfigPool, { withLabel: "site" }))).toHaveLength(1);
      expect(await labelled({ tier: "gold" })).toEqual([`${current.mine}-a`, `${current.mine}-b`]);
      expect(await labelled({ tier: "gold", site: "x" })).toEqual([`${current.mine}-a`]);
      expect(await labelled({ tier: "tin" })).toEqual([]);
    });

    test("When a part of each object is to be kept, it should list the selected objects' parts", async () => {
      await current.hub.create(aPool(`${current.mine}-a`, { labels: { tier: "gold" } }));
      await current.hub.create(aPool(`${current.mine}-b`));
      const keep = ({ apiVersion, kind, metadata: { name } }: KubernetesObject) => ({
        ...{ apiVersion, kind },
        metadata: { name },
      });
      const listed = await current.hub.list(MachineConfigPool, { labels: { tier: "gold" }, keep });
      const { apiVersion, kind } = MachineConfigPool;
      expect(listed.filter(({ metadata }) => metadata.name.includes(current.mine))).toEqual([
        { apiVersion, kind, metadata: { name: `${current.mine}-a` } },
      ]);
    });

    test("When a namespace is given, it should list that one only", async () => {
      await current.hub.create(anEvent(current.mine, current.mine));
      expect(mineOf(await current.hub.list(Event, { namespace: "default" }))).toEqual([current.mine]);
      expect(mineOf(await current.hub.list(Event, { namespace: "kube-system" }))).toEqual([]);
      expect(mineOf(await current.hub.list(Event))).toEqual([current.mine]);
    });

    test("When a name is given, it should list the objects of that name in every namespace", async () => {
      await current.hub.create(anEvent(current.mine, current.mine));
      await current.hub.create(anEvent(`${current.mine}-b`, current.mine));
      expect(mineOf(await current.hub.list(Event, { name: current.mine }))).toEqual([current.mine]);
      expect(mineOf(await current.hub.list(Event, { name: current.mine, namespace: "kube-system" }))).toEqual(
        [],
      );
      expect(await current.hub.list(Event, { name: `${current.mine}-c` })).toEqual([]);
    });

    test("When the kind is not installed, it should be empty", async () => {
      expect(await current.hub.list(unknown)).toEqual([]);
    });
  });
}
