import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  aFunction,
  aHub,
  anAdd,
  anObject,
  aWatch,
  forwarded,
  subjects,
} from "../../../test/support/messages/forwarded.ts";
import { heldQueue } from "../../../test/support/messages/held-queue.ts";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import type { HubChange } from "../../ports/hub.ts";
import type { Queue } from "../../ports/queue.ts";
import { forwardChanges } from "./forward.ts";

const { ImageDigestMirrorSet, Image } = kinds;

describe("events that name another object", () => {
  test("When a watch's objects refer to others, it should be of whole objects, and its events name the others", async () => {
    const watch = aWatch(Image, {
      selector: { withLabel: "example.com/owned" },
      refersTo: ({ spec }) =>
        spec ? { ...ImageDigestMirrorSet, name: Object(spec).owner, cluster: "sno1" } : undefined,
    });
    const object = { ...anObject(Image, "app"), spec: { owner: "acme" } };
    const { sent, watched } = await forwarded(
      [aFunction("images", watch)],
      [
        { verb: "update", object },
        { verb: "update", object: anObject(Image, "without") },
      ],
    );
    expect(watched).toEqual([{ kind: Image, options: { withLabel: "example.com/owned" } }]);
    const events = (sent["images-queue"] ?? []).map((body) => JSON.parse(body));
    expect(events.map(({ data }) => data)).toMatchObject([
      { kind: "ImageDigestMirrorSet", name: "acme", cluster: "sno1" },
    ]);
  });
});

test("When an object exists at the start, its event should name what it belongs to, whatever a change of it would concern", async () => {
  const owner = (name: string) => ({ ...ImageDigestMirrorSet, name });
  const watch = aWatch(Image, { refersTo: (_, verb) => (verb ? undefined : owner("acme")) });
  const owned = aFunction("images", aWatch(ImageDigestMirrorSet), watch);
  const { sent } = await forwarded([owned], [], [anAdd(Image, "there")]);
  expect(subjects(sent["images-queue"])).toEqual(["/apis/config.openshift.io/v1/imagedigestmirrorsets/acme"]);
});

describe("sources", () => {
  test("When a function derives objects from others, it should receive their changes, not the existing ones", async () => {
    const { MachineConfigPool } = kinds;
    const sourceOf = ImageDigestMirrorSet;
    const watches = aFunction(
      "plans",
      aWatch(Image, { sourceOf, selector: { withoutLabel: "copy" } }),
      aWatch(MachineConfigPool, {
        sourceOf,
        selector: { name: "worker" },
        fingerprint: ({ spec }) => String(Object(spec).nodes),
      }),
    );
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
        async *watch(kind, signal, options) {
          watched.push({ kind, options });
          yield* changes[kind.kind] ?? [];
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
      { kind: Image, options: { metadataOnly: true, withoutLabel: "copy" } },
      { kind: MachineConfigPool, options: { name: "worker" } },
    ]);
  });
});
