import type { External, ExternalPorts } from "./external-ports.ts";
import type { Hub } from "./hub.ts";
import type { Log } from "./log.ts";
import type { OutcomeTopic } from "./outcome-topic.ts";
import type { Queue } from "./queue.ts";

/** All external systems of a function. `Needed` names the external ports that the function cannot do without. */
export type Ports<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: Hub;
  /** Returns the time at which the login ends. Undefined if unknown, or if the login is renewed automatically. */
  loginEnd?(): Promise<Date | undefined>;
  external: External<Needed>;
  /** The function's own queue, to which it also sends messages with a delay. */
  queue: Queue;
  /** Returns another function's queue. Throws for an unknown name. Absent if no function sends to another. */
  queueNamed?(name: string): Queue;
  deadLetters: Queue;
  /** Called when the hub refused a request for these messages. Absent if the process never waits for permissions. */
  onRefused?: ((messageIds: readonly string[], error: unknown) => void) | undefined;
  outcomes: OutcomeTopic;
  log: Log;
  /** The id of the hub event being handled. Outcomes and messages to other functions contain it. */
  correlationId?: string;
  now(): Date;
}>;
