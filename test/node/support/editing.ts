import { setInterval } from "node:timers/promises";
import { Agent, request } from "undici";
import { parseJson } from "#shared/domain/kubernetes/json/values.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { RealNode } from "./real-node.ts";

/** What the stream of edits has left behind. */
export type Edited = Readonly<{
  edits: number;
  /** Milliseconds from the last edit to the MachineConfig that has it, and every other set's last one. */
  waitedMs: number;
  /** Mirrors that the MachineConfig had again after a newer one of the same set. */
  wentBack: readonly string[];
}>;

export type Editing = AsyncDisposable &
  Readonly<{
    /** Ends the edits, and waits until the MachineConfig has the last one of each set and no other. */
    stop(): Promise<Edited>;
  }>;

const origin = "http://localhost";
const sets = "/apis/config.openshift.io/v1/imagedigestmirrorsets";
const watched =
  "/apis/machineconfiguration.openshift.io/v1/machineconfigs?watch=true&fieldSelector=metadata.name%3D99-worker-generated-registries";

/** Edits these existing mirror sets in turn, five times a second, and watches the MachineConfig of the workers. */
export async function startEditing(node: RealNode, names: readonly string[]): Promise<Editing> {
  const dispatcher = new Agent({
    connect: { socketPath: await node.openSocket() },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const ended = new AbortController();
  const last = new Map<string, number>();
  let edits = 0;
  async function edit(): Promise<void> {
    const name = names[edits % names.length] ?? "";
    const number = ++edits;
    const mirrors = [`edit-${number}.example.com/${name}`];
    const { statusCode, body } = await request(`${origin}${sets}/${name}`, {
      dispatcher,
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { imageDigestMirrors: [{ source: `quay.io/${name}`, mirrors }] } }),
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`edit ${number} of ${name}: ${answer}`);
    last.set(name, number);
  }
  const editing = (async () => {
    for await (const _ of setInterval(200, undefined, { signal: ended.signal })) await edit();
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });

  const shown = new Map<string, number>();
  const wentBack: string[] = [];
  let changed = Promise.withResolvers<void>();
  const { body } = await request(`${origin}${watched}`, { dispatcher });
  const watching = (async () => {
    let printed = "";
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = `${printed}${chunk}`.split("\n");
      printed = lines.pop() ?? "";
      for (const line of lines) {
        const { object } = Object(parseJson(line));
        const text = readMachineConfigFiles(object)
          .map(({ contents }) => contents)
          .join("\n");
        for (const [mirror, number, name = ""] of text.matchAll(/edit-(\d+)\.example\.com\/(\w+)/g)) {
          if (Number(number) < (shown.get(name) ?? 0)) wentBack.push(mirror);
          shown.set(name, Number(number));
        }
      }
      changed.resolve();
    }
  })().catch(() => undefined); // the connection ends with the test
  const isCurrent = () => names.every((name) => shown.get(name) === last.get(name));

  return {
    async stop() {
      ended.abort();
      await editing;
      const started = performance.now();
      while (!isCurrent()) {
        changed = Promise.withResolvers();
        if (!isCurrent()) await changed.promise;
      }
      return { edits, waitedMs: performance.now() - started, wentBack };
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await dispatcher.destroy();
      await Promise.allSettled([editing, watching]);
    },
  };
}
