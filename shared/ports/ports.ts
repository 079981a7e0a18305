import type { ExternalPorts } from "./external-ports.ts";
import type { Hub } from "./hub.ts";
import type { Log } from "./log.ts";
import type { OutcomeTopic } from "./outcome-topic.ts";
import type { Queue } from "./queue.ts";

/** Everything outside itself that a function touches. Only entry points choose the adapters behind it. */
export type Ports = Readonly<{
  hub: Hub;
  /** Registries and the API servers of hosted clusters; absent where no function asks for any. */
  external?: ExternalPorts;
  /** The function's own queue: for delayed second looks and for back-off. */
  queue: Queue;
  /** The queue of another function; absent where none sends to another. Fails for a name that is not known. */
  queueNamed?(name: string): Queue;
  /** Where that queue's dead letters go. */
  deadLetters: Queue;
  outcomes: OutcomeTopic;
  log: Log;
  /** The id of the hub event that is being handled: outcomes and hints for other functions carry it on. */
  correlationId?: string;
  now(): Date;
}>;
