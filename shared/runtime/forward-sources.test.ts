import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  aHub,
  anAdd,
  anInterest,
  anObject,
  forwarded,
  images,
  subjects,
} from "../../test/support/messages/forwarded.ts";
import { heldQueue } from "../../test/support/messages/held-queue.ts";
import { kinds } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";
import type { HubChange } from "../ports/hub.ts";
import type { Queue } from "../ports/queue.ts";
import type { Watches } from "./controller.ts";
import { forwardChanges } from "./forward.ts";

const { ImageDigestMirrorSet, Image } = kinds;

describe("the feedback of events", () => {
  test("When a function wants feedback, labelled objects should be watched whole, with feedback in their events", async () => {
    const watches: Watches = {
      ...anInterest("images", [Image], (_reference, feedback) => feedback && String(feedback.size)),
      feedback: {
        kind: Image,
        label: "example.com/sized",
        of: ({ spec }) => (spec ? { size: Object(spec).size } : undefined),
      },
    };
    const object = { ...anObject(Image, "app"), spec: { size: 7 } };
    const { sent, watched } = await forwarded([watches], [{ verb: "update", object }]);
    expect(watched).toEqual([
      { kinds: [Image], options: { metadataOnly: true } },
      { kinds: [Image], options: { withLabel: "example.com/sized" } },
    ]);
    const data = (sent["images-queue"] ?? []).map((body) => JSON.parse(body).data);
    expect(data).toMatchObject([{ name: "app", feedback: { size: 7 } }]);
  });

  test("When a function derives things from objects, it should receive their changes, not the existing objects", async () => {
    const { MachineConfigPool } = kinds;
    const watches: Watches = {
      ...anInterest("plans", [], ({ kind, name }) => (kind === "Image" ? name : "pools")),
      sources: {
        debounceSeconds: 10,
        of: [
          { kind: Image, withoutLabel: "copy" },
          { kind: MachineConfigPool, name: "worker", fingerprint: ({ spec }) => String(Object(spec).nodes) },
        ],
      },
    };
    const pool = (nodes: number, paused: boolean): KubernetesObject => ({
      ...anObject(MachineConfigPool, "worker"),
      spec: { nodes, paused },
    });
    const { hub, watched } = aHub([]);
    const changes: Readonly<Record<string, readonly HubChange[]>> = {
      Image: [
        anAdd(Image, "there"),
        { verb: "synced" },
        { verb: "update", object: anObject(Image, "there") },
      ],
      MachineConfigPool: [
        { verb: "add", object: pool(1, false) },
        { verb: "synced" },
        { verb: "update", object: pool(1, true) },
        { verb: "update", object: pool(2, true) },
      ],
    };
    const sent: string[] = [];
    const stop = new AbortController();
    const both = Promise.withResolvers<void>();
    const queue: Queue = {
      ...heldQueue("plans").queue,
      send: async (messages) => {
        sent.push(...messages.map(({ body }) => body));
        if (sent.length === 2) both.resolve();
      },
    };
    const forwarding = forwardChanges({
      hub: {
        ...hub,
        async *watch(wanted, signal, options) {
          watched.push({ kinds: wanted, options });
          yield* changes[wanted[0]?.kind ?? ""] ?? [];
          if (!signal.aborted)
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        },
      },
      allWatches: [watches],
      queue: () => queue,
      signal: stop.signal,
      log: () => undefined,
      delay: () => settled(),
    });
    await both.promise;
    await settled();
    stop.abort();
    await forwarding;
    expect(subjects(sent).toSorted()).toEqual([
      "/apis/config.openshift.io/v1/images/there",
      "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
    ]);
    expect(watched).toEqual([
      { kinds: [Image], options: { metadataOnly: true, withoutLabel: "copy" } },
      { kinds: [MachineConfigPool], options: { name: "worker" } },
    ]);
  });

  test("When requests in annotations change, the update should say so, and no later one replace it", async () => {
    const anImageAt = (resourceVersion: string, request?: string): KubernetesObject => {
      const object = anObject(Image, "app", resourceVersion);
      return request ? { ...object, metadata: { ...object.metadata, annotations: { request } } } : object;
    };
    const watches: Watches = {
      ...images,
      fingerprint: ({ kind, metadata }) =>
        kind === "Image" ? (metadata.annotations?.request ?? "") : undefined,
    };
    const read = Promise.withResolvers<void>();
    const { hub } = aHub(
      (function* (): Generator<HubChange> {
        yield { verb: "add", object: anImageAt("1") };
        yield { verb: "update", object: anImageAt("2") };
        yield { verb: "update", object: anImageAt("3", "more") };
        yield { verb: "update", object: anImageAt("4", "more") };
        yield { verb: "update", object: anImageAt("5") };
        yield { verb: "update", object: anImageAt("6") };
        yield { verb: "delete", object: anImageAt("7") };
        yield { verb: "add", object: anImageAt("8", "more") };
        yield { verb: "update", object: anObject(ImageDigestMirrorSet, "other", "9") };
        read.resolve();
        yield { verb: "synced" };
      })(),
    );
    const work = heldQueue();
    const stop = new AbortController();
    const forwarding = forwardChanges({
      hub,
      allWatches: [watches],
      queue: () => work.queue,
      signal: stop.signal,
      log: () => undefined,
    });
    await read.promise;
    work.open();
    stop.abort();
    await forwarding;
    const sent = work.taken.map((body) => JSON.parse(body).data);
    expect(sent.map(({ resourceVersion, feedback }) => [resourceVersion, feedback])).toEqual([
      ["1", undefined],
      ["8", undefined],
      ["5", { wishes: true }],
      ["9", undefined],
    ]);
  });
});
