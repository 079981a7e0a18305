import { describe, expect, test } from "vitest";
import { aSystem, change, mirrorSet, nothing } from "../../test/support/messages/handled-batch.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { kinds } from "../domain/kubernetes/object.ts";
import { hubEvent } from "../domain/plan/hub-event.ts";
import { HubError } from "../ports/hub.ts";
import { QueueError } from "../ports/queue.ts";
import { everyName, type Watch } from "./controller.ts";

/** Maps to every ImageDigestMirrorSet on the hub whose name begins with that of the object. */
const listing: Pick<Watch, "mapToKeys"> = {
  async mapToKeys({ name }, hub) {
    const found = await hub.list(kinds.ImageDigestMirrorSet);
    return found.filter(({ metadata }) => metadata.name.startsWith(name)).map(({ metadata }) => metadata);
  },
};

/** A system with these watches on a hub that has some mirror sets; it counts the lists. */
function onHub(watches: readonly Watch[], names: readonly string[] = ["a1", "a2", "b1"]) {
  const lists = { count: 0, error: undefined as Error | undefined };
  const list = async () => {
    lists.count++;
    if (lists.error) throw lists.error;
    return names.map(mirrorSet);
  };
  return { ...aSystem(() => nothing, { watches }, undefined, undefined, { list }), lists };
}

describe("a mapping that reads the hub", () => {
  const pool = kinds.MachineConfigPool;
  const ofPools: Watch = { kind: pool, ...listing };

  test("When several messages of a batch need one list, it should be read once, and each key be reconciled once", async () => {
    const { handle, reconciles, lists } = onHub([ofPools]);
    expect(await handle([aRecord("1", change("a", pool)), aRecord("2", change("a1", pool))])).toEqual([]);
    expect(reconciles.toSorted()).toEqual(["a1", "a2"]);
    expect(lists.count).toBe(1);
    await handle([aRecord("3", change("b", pool))]);
    expect(lists.count).toBe(2);
  });

  test("When the hub rejects the read, only the messages that need it should be redelivered, after a pause", async () => {
    const own: Watch = { kind: kinds.ImageDigestMirrorSet, mapToKeys: ({ name }) => [{ name }] };
    const { handle, reconciles, lists, work } = onHub([ofPools, own]);
    lists.error = new HubError("Unavailable", "down");
    expect(await handle([aRecord("1", change("a", pool)), aRecord("2", change("acme"))])).toEqual(["1"]);
    expect(reconciles).toEqual(["acme"]);
    expect(work.hidden).toEqual([["handle of 1", 2]]);
  });

  test("When one message maps to several keys and one of them fails, it should be redelivered once", async () => {
    const { handle } = aSystem(
      (key) => {
        if (key !== "b1") throw new HubError("Unavailable", "down");
        return nothing;
      },
      { watches: [ofPools] },
      undefined,
      undefined,
      { list: async () => ["a1", "a2", "b1"].map(mirrorSet) },
    );
    expect(await handle([aRecord("1", change("a", pool)), aRecord("2", change("b", pool))])).toEqual(["1"]);
  });
});

describe("a message about a source", () => {
  const source: Watch = {
    kind: kinds.MachineConfigPool,
    sourceOf: kinds.ImageDigestMirrorSet,
    selector: { name: (name) => name.length === 1 },
    async mapToKeys(reference, hub) {
      const { name } = reference;
      const all = await hub.list(kinds.ImageDigestMirrorSet);
      return all
        .filter(({ metadata }) => name === everyName || metadata.name.startsWith(name))
        .map(({ metadata }) => ({ name: `/${metadata.name}` }));
    },
  };
  const about = (name: string) => change(name, kinds.MachineConfigPool);
  const namesIn = (messages: readonly { body: string }[]) =>
    messages.map(({ body }) => JSON.parse(body).data.name);

  test("When its messages are handled, they should have the id of its event and reconcile those objects", async () => {
    const own: Watch = { kind: kinds.ImageDigestMirrorSet, mapToKeys: ({ name }) => [{ name }] };
    const { handle, reconciles, work, entries } = onHub([source, own]);
    const { apiVersion, kind } = kinds.MachineConfigPool;
    const event = hubEvent("update", { apiVersion, kind, name: "b", uid: "7" }, { source: "urn:test:hub" });
    await handle([aRecord("1", JSON.stringify(event))]);
    await handle(work.sent.map(({ body }, index) => aRecord(`sent ${index}`, body)));
    expect(reconciles).toEqual(["b1"]);
    expect(entries.find((entry) => entry.event === "reconciled")?.correlationId).toBe(event.id);
  });

  test("When it names every object of its kind, it should map to all, whatever names are selected", async () => {
    const { handle, work } = onHub([source]);
    await handle([aRecord("1", about(everyName)), aRecord("2", about("a1"))]);
    expect(namesIn(work.sent)).toEqual(["a1", "a2", "b1"]);
  });

  test("When it maps to no key, it should be done", async () => {
    const { handle, work, entries } = onHub([source]);
    expect(await handle([aRecord("1", about("z"))])).toEqual([]);
    expect(work.sent).toEqual([]);
    expect(entries.map(({ event }) => event)).toContain("event-ignored");
  });

  test("When the queue refuses its messages, it should be redelivered, and the others be handled", async () => {
    const own: Watch = { kind: kinds.ImageDigestMirrorSet, mapToKeys: ({ name }) => [{ name }] };
    const { handle, reconciles, work } = onHub([source, own]);
    work.refuses.error = new QueueError("QueueUnavailable", "down");
    expect(await handle([aRecord("1", about("a")), aRecord("2", change("acme"))])).toEqual(["1"]);
    expect(reconciles).toEqual(["acme"]);
  });
});
