import { setImmediate as settled } from "node:timers/promises";
import { isKind, type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub, HubChange, WatchOptions } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watch, Watches } from "#shared/runtime/controller.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { heldQueue } from "./held-queue.ts";

const { ImageDigestMirrorSet, Image, MachineConfig } = kinds;

/** An object without contents. */
export const anObject = (
  { apiVersion, kind }: Kind,
  name: string,
  resourceVersion = "1",
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, uid: `uid of ${name}`, resourceVersion },
});
export const anAdd = (kind: Kind, name: string): HubChange => ({ verb: "add", object: anObject(kind, name) });

/**
 * A hub that reports these changes to each watch of their kind, and then nothing more until the watch ends; it counts
 * what was read. It lists the objects before `synced`.
 */
export function aHub(changes: Iterable<HubChange>) {
  const watched: { kind: Kind; options: WatchOptions | undefined }[] = [];
  const isOf = (kind: Kind, change: HubChange) => change.verb === "synced" || isKind(kind, change.object);
  const read = { count: 0 };
  const unused = async () => {
    throw new Error("a forwarder only watches and lists");
  };
  const hub: Hub = {
    id: "urn:test:hub",
    get: unused,
    async list(kind, { keep = (object: KubernetesObject) => object } = {}) {
      const objects = new Map<string, KubernetesObject>();
      for (const change of changes) {
        if (change.verb === "synced") break;
        if (isKind(kind, change.object)) objects.set(change.object.metadata.name, change.object);
      }
      return [...objects.values()].map(keep);
    },
    create: unused,
    update: unused,
    updateStatus: unused,
    delete: unused,
    async *watch(kind, signal, options) {
      watched.push({ kind, options });
      for (const change of changes) {
        if (signal.aborted) return;
        if (!isOf(kind, change)) continue;
        read.count++;
        yield change;
      }
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  return { hub, watched, read };
}

/** A watch of a kind whose objects are keys themselves. */
export const aWatch = (kind: Kind, more: Partial<Watch> = {}): Watch => ({
  kind,
  mapToKeys: ({ name }) => [{ name }],
  ...more,
});
/** A function with these watches, and a queue that is named after it. */
export const aFunction = (name: string, ...watches: readonly Watch[]): Watches => ({
  name,
  queue: `${name}-queue`,
  watches,
});
const isGenerated = (name: string) => name.startsWith("99-");
export const mirrors = aFunction(
  "mirrors",
  aWatch(ImageDigestMirrorSet),
  aWatch(MachineConfig, { selector: { name: isGenerated } }),
);
export const images = aFunction("images", aWatch(Image), aWatch(ImageDigestMirrorSet));

/**
 * Forwards what exists and these changes to queues that accept everything at once; returns the content of each when all was
 * read and sent.
 */
export async function forwarded(
  allWatches: readonly Watches[],
  changes: readonly HubChange[],
  existing: readonly HubChange[] = [],
) {
  const { hub, watched } = aHub([...existing, { verb: "synced" }, ...changes]);
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
    allWatches,
    queue,
    signal: stop.signal,
    log: (entry) => {
      entries.push(entry);
      // By then the watches have read everything.
      if (entry.event === "synced") void settled().then(() => stop.abort());
    },
  });
  return { sent, watched, entries, unsent };
}

/** Returns the subjects of the events in these message bodies. */
export const subjects = (bodies: readonly string[] = []) => bodies.map((body) => JSON.parse(body).subject);
