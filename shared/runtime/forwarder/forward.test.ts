import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  aFunction,
  aHub,
  anAdd,
  anObject,
  aWatch,
  forwarded,
  images,
  mirrors,
  subjects,
} from "../../../test/support/messages/forwarded.ts";
import { heldQueue } from "../../../test/support/messages/held-queue.ts";
import { kinds } from "../../domain/kubernetes/object.ts";
import { HubError } from "../../ports/hub.ts";
import type { LogEntry } from "../../ports/log.ts";
import type { OutgoingMessage } from "../../ports/queue.ts";
import type { Watches } from "../controller.ts";
import { owedSinceAttributes } from "../redelivery.ts";
import { forwardChanges, forwarder } from "./forward.ts";

const { ImageDigestMirrorSet, Image, MachineConfig } = kinds;

describe("forwarding", () => {
  test("When an object changes, its event should name hub, object and version", async () => {
    const { sent } = await forwarded(
      [mirrors],
      [{ verb: "update", object: anObject(ImageDigestMirrorSet, "acme", "4711") }],
    );
    expect((sent["mirrors-queue"] ?? []).map((body) => JSON.parse(body))).toEqual([
      {
        specversion: "1.0",
        type: "dev.knative.apiserver.ref.update",
        source: "urn:test:hub",
        subject: "/apis/config.openshift.io/v1/imagedigestmirrorsets/acme",
        id: "uid of acme/4711/update",
        datacontenttype: "application/json",
        data: {
          apiVersion: "config.openshift.io/v1",
          kind: "ImageDigestMirrorSet",
          name: "acme",
          uid: "uid of acme",
          resourceVersion: "4711",
        },
      },
    ]);
  });

  test("When several functions want a kind, it should be watched once, without contents", async () => {
    const { watched } = await forwarded([mirrors, images], []);
    expect(watched).toEqual([
      { kind: ImageDigestMirrorSet, options: { metadataOnly: true } },
      { kind: MachineConfig, options: { metadataOnly: true } },
      { kind: Image, options: { metadataOnly: true } },
    ]);
  });

  test("When one of several functions has a fingerprint, they should share one watch of whole objects", async () => {
    const sized = aFunction("sized", aWatch(Image, { fingerprint: ({ spec }) => String(spec) }));
    const { watched } = await forwarded([aFunction("images", aWatch(Image)), sized], []);
    expect(watched).toEqual([{ kind: Image, options: {} }]);
  });

  test("When watches select differently, each selection should be a watch of its own", async () => {
    const selections = [
      { withLabel: "tier" },
      { withoutLabel: "copy" },
      { name: "cluster" },
      { name: () => true },
    ];
    const some = selections.map((selector, index) => aFunction(`f${index}`, aWatch(Image, { selector })));
    const { watched, entries } = await forwarded(some, []);
    expect(watched.map(({ options }) => options)).toEqual([
      { withLabel: "tier", metadataOnly: true },
      { withoutLabel: "copy", metadataOnly: true },
      { name: "cluster", metadataOnly: true },
      { metadataOnly: true },
    ]);
    expect(entries.map(({ event }) => event)).toEqual(["synced"]);
  });

  test("When a fingerprint stays the same, only functions without one should get the update", async () => {
    const sized = aWatch(Image, { fingerprint: ({ spec }) => String(Object(spec).size) });
    const anImage = (size: number, color: string) => ({ ...anObject(Image, "app"), spec: { size, color } });
    const { sent } = await forwarded(
      [aFunction("all", aWatch(Image)), aFunction("sized", sized)],
      [
        { verb: "add", object: anImage(1, "red") },
        { verb: "update", object: anImage(1, "blue") },
        { verb: "update", object: anImage(2, "blue") },
        { verb: "delete", object: anObject(Image, "app") },
      ],
    );
    const verbs = (name: string) => (sent[name] ?? []).map((body) => JSON.parse(body).type.split(".").at(-1));
    expect(verbs("all-queue")).toEqual(["add", "update", "update", "delete"]);
    expect(verbs("sized-queue")).toEqual(["add", "update", "delete"]);
  });

  test("When an object is relevant to some functions, its events should go only to their queues", async () => {
    const { sent } = await forwarded(
      [mirrors, images],
      [
        anAdd(ImageDigestMirrorSet, "acme"),
        anAdd(MachineConfig, "00-worker"),
        anAdd(MachineConfig, "99-worker"),
      ],
    );
    expect(subjects(sent["mirrors-queue"])).toEqual([
      "/apis/config.openshift.io/v1/imagedigestmirrorsets/acme",
      "/apis/machineconfiguration.openshift.io/v1/machineconfigs/99-worker",
    ]);
    expect(subjects(sent["images-queue"])).toContain(
      "/apis/config.openshift.io/v1/imagedigestmirrorsets/acme",
    );
  });

  test("When two functions share a queue, it should get each event once", async () => {
    const shared = [images, { ...images, name: "others" }];
    const { sent } = await forwarded(shared, [anAdd(Image, "cluster")], [anAdd(Image, "there")]);
    expect(sent["images-queue"]).toHaveLength(2);
  });

  test("When objects of two kinds have one name, the event of neither should replace the other's", async () => {
    const { sent } = await forwarded([images], [anAdd(Image, "x"), anAdd(ImageDigestMirrorSet, "x")]);
    expect(sent["images-queue"]).toHaveLength(2);
  });

  test("When all existing objects are sent, it should log synced, not before", async () => {
    const { entries, unsent } = await forwarded([mirrors], [], [anAdd(ImageDigestMirrorSet, "acme")]);
    expect(entries.map(({ event }) => event)).toEqual(["noticed", "forwarded", "synced"]);
    expect(unsent).toBe(0);
  });

  test("When a queue accepts none of 100,000 changes, it should stop reading at its capacity", async () => {
    const { hub, read } = aHub({
      *[Symbol.iterator]() {
        yield { verb: "synced" } as const;
        for (let index = 0; index < 100_000; index++) yield anAdd(ImageDigestMirrorSet, `acme-${index}`);
      },
    });
    const work = heldQueue("mirrors-queue");
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const sending = { capacity: 500, lanes: 4, retryMs: { first: 1, max: 1 } };
    const forwarding = forwardChanges({
      hub,
      allWatches: [aFunction("mirrors", aWatch(ImageDigestMirrorSet))],
      queue: () => work.queue,
      signal: stop.signal,
      log: () => undefined,
      sending,
    });
    (await work.request(3)).take();
    await work.request(4);
    await settled();
    expect(read.count).toBeGreaterThan(sending.capacity);
    expect(read.count).toBeLessThanOrEqual(sending.capacity + 10 * (sending.lanes + 1));
    stop.abort();
    work.open();
    expect(await forwarding).toBe(0);
    // It has also read that the list is complete.
    expect(work.taken).toHaveLength(read.count - 1);
  });
});

describe("the start of a term", () => {
  const bodies = (sent: readonly string[] = []) => sent.map((body) => JSON.parse(body));

  test("When several objects map to one key, the key should be named once", async () => {
    const { sent } = await forwarded([images], [], [anAdd(Image, "x"), anAdd(ImageDigestMirrorSet, "x")]);
    expect(subjects(sent["images-queue"])).toEqual(["/apis/config.openshift.io/v1/images/x"]);
  });

  /** A hub with some Images, whose watches are counted; a function that knows one of them to be unchanged. */
  function aStart(find: NonNullable<Watches["ticks"]>["find"]) {
    const { hub, watched } = aHub([anAdd(Image, "same"), anAdd(Image, "other"), { verb: "synced" }]);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const entries: LogEntry[] = [];
    const forwarding = forwarder({
      hub,
      allWatches: [{ ...aFunction("images", aWatch(Image)), ticks: { reads: [], find } }],
      signal: stop.signal,
      log: (entry) => entries.push(entry),
      now: () => new Date("2026-03-01T02:00:00Z"),
    });
    /** Runs a term until everything was sent; returns the messages. */
    async function term(owedSince?: Date) {
      const { queue, open } = heldQueue("images-queue");
      open();
      const messages: OutgoingMessage[] = [];
      const end = new AbortController();
      const before = entries.length;
      const sending = forwarding.forward({
        queue: () => ({
          ...queue,
          send: async (some) => {
            messages.push(...some);
          },
        }),
        signal: end.signal,
        owedSince,
      });
      await expect.poll(() => entries.slice(before).some(({ event }) => event === "synced")).toBe(true);
      end.abort();
      expect(await sending).toBe(0);
      return messages;
    }
    return { term, watched, entries };
  }
  const unchanged = { unchanged: new Set(["same"]), listed: new Map() };

  test("When a function knows what is unchanged, only the rest should be named, in each term, with the same watches", async () => {
    const { term, watched } = aStart(async () => unchanged);
    for (const owedSince of [undefined, new Date("2026-03-01T01:00:00Z")]) {
      const [message, ...others] = await term(owedSince);
      expect(subjects([message?.body ?? ""])).toEqual(["/apis/config.openshift.io/v1/images/other"]);
      expect(others).toEqual([]);
      expect(message?.attributes).toEqual(owedSince && owedSinceAttributes(owedSince));
    }
    expect(watched).toHaveLength(1);
  });

  test.for([
    ["Unavailable", ["other"]],
    ["Forbidden", ["other", "same"]],
  ] as const)("When the first attempt to find it is $0, $1 should be named", async ([code, named]) => {
    let attempts = 0;
    const { term, entries } = aStart(async () => {
      if (attempts++ === 0) throw new HubError(code, "not now");
      return unchanged;
    });
    const sent = bodies((await term()).map(({ body }) => body));
    expect(sent.map(({ data }) => data.name).toSorted()).toEqual(named);
    expect(entries.map(({ event }) => event)).toContain(code === "Forbidden" ? "failed" : "retry");
  });
});
