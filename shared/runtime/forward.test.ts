import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  aHub,
  anAdd,
  anInterest,
  anObject,
  forwarded,
  images,
  mirrors,
  subjects,
} from "../../test/support/messages/forwarded.ts";
import { heldQueue } from "../../test/support/messages/held-queue.ts";
import { kinds } from "../domain/kubernetes/kinds.ts";
import { forwardChanges } from "./forward.ts";

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

  test("When several functions want a kind, it should be watched once, in one watch, without contents", async () => {
    const { watched } = await forwarded([mirrors, images], []);
    expect(watched).toEqual([
      { kinds: [ImageDigestMirrorSet, MachineConfig, Image], options: { metadataOnly: true } },
    ]);
  });

  test("When functions watch only labelled objects, there should be no empty watch that ends at once", async () => {
    const { sent, watched, entries } = await forwarded(
      [
        {
          ...anInterest("images", [], ({ name }) => name),
          feedback: { kind: Image, label: "tier", of: () => ({}) },
        },
      ],
      [anAdd(Image, "app")],
    );
    expect(watched.map(({ kinds: [only] }) => only)).toEqual([Image]);
    expect(sent["images-queue"]).toHaveLength(1);
    expect(entries.at(-1)).toEqual({ event: "synced", kinds: ["Image"] });
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
    const { sent } = await forwarded(shared, [anAdd(Image, "cluster")]);
    expect(sent["images-queue"]).toHaveLength(1);
  });

  test("When objects of two kinds have one name, the event of neither should replace the other's", async () => {
    const { sent } = await forwarded([images], [anAdd(Image, "x"), anAdd(ImageDigestMirrorSet, "x")]);
    expect(sent["images-queue"]).toHaveLength(2);
  });

  test("When all existing objects are sent, it should log synced, not before", async () => {
    const { entries, unsent } = await forwarded([mirrors], [anAdd(ImageDigestMirrorSet, "acme")]);
    expect(entries.map(({ event }) => event)).toEqual(["noticed", "forwarded", "synced"]);
    expect(unsent).toBe(0);
  });

  test("When a queue accepts none of 100,000 objects, it should stop reading at its capacity", async () => {
    const { hub, read } = aHub(
      (function* () {
        for (let index = 0; index < 100_000; index++) yield anAdd(ImageDigestMirrorSet, `acme-${index}`);
      })(),
    );
    const work = heldQueue("mirrors-queue");
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const sending = { capacity: 500, lanes: 4, retryMs: { first: 1, longest: 1 } };
    const forwarding = forwardChanges({
      hub,
      allWatches: [mirrors],
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
    expect(work.taken).toHaveLength(read.count);
  });
});
