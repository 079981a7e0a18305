import type { External, ExternalPorts } from "./external-ports.ts";
import type { Hub } from "./hub.ts";
import type { Log } from "./log.ts";
import type { OutcomeTopic } from "./outcome-topic.ts";
import type { Queue } from "./queue.ts";

/**
 * Everything outside itself that a function uses, with the external ports that it needs. Only entry points choose the
 * adapters.
 */
export type Ports<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: Hub;
  /** Returns when the login on the hub ends; undefined where that is not known, or something renews it. */
  loginEnd?(): Promise<Date | undefined>;
  external: External<Needed>;
  /** The function's own queue, for delayed requeues and back-off. */
  queue: Queue;
  /** Returns the queue of another function; absent where none sends to another. Fails for an unknown name. */
  queueNamed?(name: string): Queue;
  /** The dead-letter queue of `queue`. */
  deadLetters: Queue;
  /** Called for the messages whose handling the hub has refused; absent where nothing waits for rights and logins. */
  onRefused?: ((messageIds: readonly string[], error: unknown) => void) | undefined;
  outcomes: OutcomeTopic;
  log: Log;
  /** The id of the hub event that is being handled, passed on in outcomes and in messages to other functions. */
  correlationId?: string;
  now(): Date;
}>;
