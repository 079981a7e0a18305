import type { External, ExternalPorts } from "./external-ports.ts";
import type { Hub } from "./hub.ts";
import type { Log } from "./log.ts";
import type { OutcomeTopic } from "./outcome-topic.ts";
import type { Queue } from "./queue.ts";

/**
 * All external systems of a function: the hub, queues, the topic, and the external ports that the function needs. Only entry
 * points choose the adapters.
 */
export type Ports<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: Hub;
  /** Returns when the login on the hub ends; undefined if unknown, or if the login is renewed automatically. */
  loginEnd?(): Promise<Date | undefined>;
  external: External<Needed>;
  /** The function's own queue, for delayed requeues and back-off. */
  queue: Queue;
  /** Returns the queue of another function; throws for an unknown name. Absent if no function sends to another. */
  queueNamed?(name: string): Queue;
  deadLetters: Queue;
  /** Called when the hub refused a request that these messages need; absent if the process never waits for permissions. */
  onRefused?: ((messageIds: readonly string[], error: unknown) => void) | undefined;
  outcomes: OutcomeTopic;
  log: Log;
  /** The id of the hub event being handled; outcomes and messages to other functions contain it. */
  correlationId?: string;
  now(): Date;
}>;
