import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { heldQueue } from "../../test/support/held-queue.ts";
import { type Kind, kinds } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";
import type { Hub, HubChange, WatchOptions } from "../ports/hub.ts";
import type { LogEntry } from "../ports/log.ts";
import type { Queue } from "../ports/queue.ts";
import { forwardChanges } from "./forward.ts";
import type { Interest } from "./reaction.ts";

const { ImageDigestMirrorSet, Image, MachineConfig } = kinds;

const anObject = ({ apiVersion, kind }: Kind, name: string, resourceVersion = "1"): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, uid: `uid of ${name}`, resourceVersion },
});
const anAdd = (kind: Kind, name: string): HubChange => ({ verb: "add", object: anObject(kind, name) });

/** A hub that tells these changes and then nothing more until the watch is ended; it counts what was read. */
function aHub(changes: Iterable<HubChange>) {
  const watched: { kinds: readonly Kind[]; options: WatchOptions | undefined }[] = [];
  const read = { count: 0 };
  const unused = async () => {
    throw new Error("a forwarder only watches");
  };
  const hub: Hub = {
    id: "urn:test:hub",
    get: unused,
    list: unused,
    create: unused,
    update: unused,
    updateStatus: unused,
    delete: unused,
    async *watch(wanted, signal, options) {
      watched.push({ kinds: wanted, options });
      for (const change of changes) {
        if (signal.aborted) return;
        read.count++;
        yield change;
      }
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  return { hub, watched, read };
}

const anInterest = (name: string, wanted: readonly Kind[], keyOf: Interest["keyOf"]): Interest => ({
  name,
  queue: `${name}-queue`,
  kinds: wanted,
  keyOf,
});
const mirrors = anInterest("mirrors", [ImageDigestMirrorSet, MachineConfig], ({ kind, name }) =>
  kind === "ImageDigestMirrorSet" || name.startsWith("99-") ? "cluster" : undefined,
);
const images = anInterest("images", [Image, ImageDigestMirrorSet], ({ name }) => name);

/** Forwards to queues that take everything at once; answers what each got, when all changes were read. */
async function forwarded(interests: readonly Interest[], changes: readonly HubChange[]) {
  const { hub, watched } = aHub([...changes, { verb: "synced" }]);
  const sent: Record<string, string[]> = {};
  const entries: LogEntry[] = [];
  const stop = new AbortController();
  const queue = (name: string): Queue => ({
    ...heldQueue(name).queue,
    send: async (messages) => {
      sent[name] = [...(sent[name] ?? []), ...messages.map(({ body }) => body)];
    },
  });
  const unsent = await forwardChanges({
    hub,
    interests,
    queue,
    signal: stop.signal,
    log: (entry) => {
      entries.push(entry);
      if (entry.event === "synced") stop.abort();
    },
  });
  return { sent, watched, entries, unsent };
}

const subjects = (bodies: readonly string[] = []) => bodies.map((body) => JSON.parse(body).subject);

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

  test("When functions hear of labelled objects alone, there should be no watch of nothing that ends at once", async () => {
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

  test("When a function wants feedback, labelled objects should be watched whole and tell it with their events", async () => {
    const interest: Interest = {
      ...anInterest("images", [Image], (_reference, feedback) => feedback && String(feedback.size)),
      feedback: {
        kind: Image,
        label: "example.com/sized",
        of: ({ spec }) => (spec ? { size: Object(spec).size } : undefined),
      },
    };
    const object = { ...anObject(Image, "app"), spec: { size: 7 } };
    const { sent, watched } = await forwarded([interest], [{ verb: "update", object }]);
    expect(watched).toEqual([
      { kinds: [Image], options: { metadataOnly: true } },
      { kinds: [Image], options: { withLabel: "example.com/sized" } },
    ]);
    const data = (sent["images-queue"] ?? []).map((body) => JSON.parse(body).data);
    expect(data).toMatchObject([{ name: "app", feedback: { size: 7 } }]);
  });

  test("When a function derives things from objects, it should hear of their changes, not of those that are there", async () => {
    const { MachineConfigPool } = kinds;
    const interest: Interest = {
      ...anInterest("plans", [], ({ kind, name }) => (kind === "Image" ? name : "pools")),
      sources: {
        restSeconds: 10,
        of: [
          { kind: Image, withoutLabel: "copy" },
          { kind: MachineConfigPool, name: "worker", essence: ({ spec }) => String(Object(spec).nodes) },
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
    const told: string[] = [];
    const stop = new AbortController();
    const both = Promise.withResolvers<void>();
    const queue: Queue = {
      ...heldQueue("plans").queue,
      send: async (messages) => {
        told.push(...messages.map(({ body }) => body));
        if (told.length === 2) both.resolve();
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
      interests: [interest],
      queue: () => queue,
      signal: stop.signal,
      log: () => undefined,
      rest: () => settled(),
    });
    await both.promise;
    await settled();
    stop.abort();
    await forwarding;
    expect(subjects(told).toSorted()).toEqual([
      "/apis/config.openshift.io/v1/images/there",
      "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
    ]);
    expect(watched).toEqual([
      { kinds: [Image], options: { metadataOnly: true, withoutLabel: "copy" } },
      { kinds: [MachineConfigPool], options: { name: "worker" } },
    ]);
  });

  test("When what people ask in annotations changes, the update should tell so, and no later one replace it", async () => {
    const asked = (resourceVersion: string, wish?: string): KubernetesObject => {
      const object = anObject(Image, "app", resourceVersion);
      return wish ? { ...object, metadata: { ...object.metadata, annotations: { wish } } } : object;
    };
    const interest: Interest = {
      ...images,
      wishesOf: ({ kind, metadata }) => (kind === "Image" ? (metadata.annotations?.wish ?? "") : undefined),
    };
    const read = Promise.withResolvers<void>();
    const { hub } = aHub(
      (function* (): Generator<HubChange> {
        yield { verb: "add", object: asked("1") };
        yield { verb: "update", object: asked("2") };
        yield { verb: "update", object: asked("3", "more") };
        yield { verb: "update", object: asked("4", "more") };
        yield { verb: "update", object: asked("5") };
        yield { verb: "update", object: asked("6") };
        yield { verb: "delete", object: asked("7") };
        yield { verb: "add", object: asked("8", "more") };
        yield { verb: "update", object: anObject(ImageDigestMirrorSet, "other", "9") };
        read.resolve();
        yield { verb: "synced" };
      })(),
    );
    const work = heldQueue();
    const stop = new AbortController();
    const forwarding = forwardChanges({
      hub,
      interests: [interest],
      queue: () => work.queue,
      signal: stop.signal,
      log: () => undefined,
    });
    await read.promise;
    work.open();
    stop.abort();
    await forwarding;
    const told = work.taken.map((body) => JSON.parse(body).data);
    expect(told.map(({ resourceVersion, feedback }) => [resourceVersion, feedback])).toEqual([
      ["1", undefined],
      ["8", undefined],
      ["5", { wishes: true }],
      ["9", undefined],
    ]);
  });

  test("When an object concerns some functions, its events should go to their queues alone", async () => {
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

  test("When everything that was there is sent, it should say so, not before", async () => {
    const { entries, unsent } = await forwarded([mirrors], [anAdd(ImageDigestMirrorSet, "acme")]);
    expect(entries.map(({ event }) => event)).toEqual(["noticed", "forwarded", "synced"]);
    expect(unsent).toBe(0);
  });

  test("When a queue takes nothing of 100,000 objects, it should stop reading at its capacity", async () => {
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
      interests: [mirrors],
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
