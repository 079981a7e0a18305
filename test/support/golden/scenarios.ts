import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type KubernetesObject, kindOf, type ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { hubEvent, type Verb } from "#shared/domain/plan/hub-event.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubError } from "#shared/ports/hub.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { precacheSystem } from "../precache/precache-system.ts";
import { precachingPorts } from "../precache/precaching-ports.ts";
import type { Recorder } from "./story.ts";
import type { GoldenTrace } from "./trace.ts";

/** More lines than this nobody reads. */
const maxLines = 240;

/** Compares a trace with its file in `test/golden`; `npm run golden` writes the file instead. */
export async function expectGolden(trace: GoldenTrace): Promise<void> {
  const text = trace.text();
  const file = fileURLToPath(new URL(`../../golden/${trace.name}.md`, import.meta.url));
  await expect(
    text,
    `${trace.name} behaves differently. If that is intended, run \`npm run golden\` and review the difference`,
  ).toMatchFileSnapshot(file);
  expect(text.split("\n").length, `lines of ${trace.name}.md`).toBeLessThanOrEqual(maxLines);
}

/** One function on a hub with these objects, which it has already reconciled when the recording begins. */
export async function settledFunction(
  recorder: Recorder,
  controller: Controller,
  objects: readonly KubernetesObject[],
  {
    fault,
    external = precachingPorts,
  }: Readonly<{
    fault?: (request: string, reference: ObjectReference) => HubError | undefined;
    external?: ExternalPorts;
  }> = {},
) {
  const system = precacheSystem(fault, [controller], (ports, ...batch) =>
    recorder.around({ ...ports, external }, ...batch),
  );
  for (const object of objects) system.hub.put(object);
  await recorder.unrecorded(() => system.settle());
  system.queues.get(controller.queue)?.splice(0);
  return {
    ...system,
    /** Handles the messages that are due, in one batch, without the events about what it writes itself. */
    async batch(): Promise<void> {
      system.forward(false);
      await system.step(controller, { batchSize: 10 });
      system.forward(true);
    },
    /** Replaces an object's fields, as a person does: a changed spec is another generation. */
    async change({ metadata, ...fields }: KubernetesObject): Promise<void> {
      const kind = kindOf(fields);
      const present = kind && system.hub.find(kind, metadata.name, metadata.namespace);
      if (!present) throw new Error(`${fields.kind} ${metadata.name} does not exist`);
      await system.hub.update({ ...fields, metadata: present.metadata });
    },
    /** Sends a message to the function, as somebody else may. */
    send(body: string): void {
      system.deliver(controller.queue, body);
    },
    /** Sends an event about an object, whether it exists or not. */
    notify(verb: Verb, reference: ObjectReference): void {
      this.send(JSON.stringify(hubEvent(verb, reference, { source: "urn:test:hub" })));
    },
  };
}
