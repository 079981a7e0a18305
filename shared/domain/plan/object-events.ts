import { createHash } from "node:crypto";
import { redact } from "../credentials/redact.ts";
import type { OutcomeEvent } from "../events/outcome-event.ts";
import { byCodeUnit } from "../json/order.ts";
import { displayName, type KubernetesObject, referenceTo } from "../kubernetes/object.ts";
import { timestamp } from "../kubernetes/timestamp.ts";
import { withOutcome } from "./kept-outcomes.ts";
import type { Action } from "./plan.ts";

/** Something to tell the owner of an object, in a Kubernetes Event: what `oc describe` shows. */
export type ObjectEvent = Readonly<{
  regarding: KubernetesObject;
  type: "Normal" | "Warning";
  /** CamelCase, as in every Kubernetes Event. */
  reason: string;
  message: string;
  /** Tells two reports with one reason on one object apart, for instance by field path. */
  distinction?: string;
  /** Annotations of the Event, for whoever wrote it: what it remembers. */
  memory?: Readonly<Record<string, string>>;
  /** Published when the report is first made. */
  outcome?: OutcomeEvent;
}>;

/** The Kubernetes API refuses longer messages. */
const longestMessage = 1024;
const observedAnnotation = "hubrelay.dev/observed";

/** Which state of the object was reported: its generation where it has one, so that status changes do not count. */
function observedState({ metadata }: KubernetesObject): string {
  return `${metadata.uid ?? ""}/${metadata.generation ?? metadata.resourceVersion ?? ""}`;
}

/** The name is a function of what is reported, so a repeated reconcile meets its own Event. */
export function eventName({ regarding, reason, distinction }: ObjectEvent, component: string): string {
  const { namespace, name } = regarding.metadata;
  const identity = [component, regarding.kind, namespace ?? "", name, reason, distinction ?? ""].join("\n");
  const digest = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  return `${name.slice(0, 200)}.${digest}`;
}

function namespaceOf({ regarding }: ObjectEvent): string {
  return regarding.metadata.namespace ?? "default";
}

/** As an Event may carry it: whoever reads Events need not be allowed to read the object that a value comes from. */
function tellable(text: string): string {
  const message = redact(text);
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}

/** When this report was first made, as its Event on the hub remembers. */
export function firstSeen(
  objectEvent: ObjectEvent,
  component: string,
  existing: readonly KubernetesObject[],
): Date | undefined {
  const name = eventName(objectEvent, component);
  const found = existing.find(({ metadata }) => metadata.name === name)?.firstTimestamp;
  return typeof found === "string" ? new Date(found) : undefined;
}

/** Returns the Events on the hub that make these reports, in the namespace where hubrelay writes them. */
export function eventsOf(
  objectEvents: readonly ObjectEvent[],
  component: string,
  existing: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const places = new Set(
    objectEvents.map((objectEvent) => `${namespaceOf(objectEvent)}/${eventName(objectEvent, component)}`),
  );
  return existing.filter(({ metadata }) => places.has(`${metadata.namespace}/${metadata.name}`));
}

/**
 * The writes that make the hub's Events tell exactly these reports: a new one is created, one that holds for a
 * newer state of its object counts up, one that no longer holds is removed. Events live in the object's
 * namespace, those of cluster-scoped objects in `default`, as Kubernetes itself does it.
 */
export function planObjectEvents({
  objectEvents,
  existing,
  component,
  labels,
  now,
}: Readonly<{
  objectEvents: readonly ObjectEvent[];
  existing: readonly KubernetesObject[];
  component: string;
  labels: Readonly<Record<string, string>>;
  now: Date;
}>): readonly Action[] {
  const present = new Map(existing.map((event) => [event.metadata.name, event]));
  const wanted = new Map(objectEvents.map((objectEvent) => [eventName(objectEvent, component), objectEvent]));
  const writtenAt = timestamp(now);

  const written = [...wanted].flatMap(([name, objectEvent]): Action[] => {
    const { regarding, type, reason, memory = {}, outcome } = objectEvent;
    const message = tellable(objectEvent.message);
    const about = displayName(referenceTo(regarding));
    const found = present.get(name);
    const observed = observedState(regarding);
    if (!found) {
      const object = {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name,
          namespace: namespaceOf(objectEvent),
          labels,
          annotations: { [observedAnnotation]: observed, ...memory },
        },
        involvedObject: referenceTo(regarding),
        type,
        reason,
        message,
        source: { component },
        firstTimestamp: writtenAt,
        lastTimestamp: writtenAt,
        count: 1,
      };
      const action: Action = { verb: "create", object, reason: `tells ${about}: ${reason}` };
      return [outcome ? withOutcome(action, outcome) : action];
    }
    const annotations: Readonly<Record<string, string>> = { ...memory, [observedAnnotation]: observed };
    const isRemembered = Object.entries(annotations).every(
      ([name, value]) => found.metadata.annotations?.[name] === value,
    );
    if (isRemembered && found.message === message) return [];
    const object = {
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { ...found.metadata.annotations, ...annotations },
      },
      involvedObject: referenceTo(regarding),
      type,
      message,
      lastTimestamp: writtenAt,
      count: (typeof found.count === "number" ? found.count : 0) + 1,
    };
    return [{ verb: "update", object, reason: `tells ${about} again: ${reason}` }];
  });

  const outdated = [...present.values()]
    .filter(({ metadata }) => !wanted.has(metadata.name))
    .map((object): Action => ({ verb: "delete", object, reason: `${object.reason} no longer holds` }));
  return [...written, ...outdated].sort((a, b) => byCodeUnit(a.object.metadata.name, b.object.metadata.name));
}

/** Returns the writes of Events with an outcome about all of them: published when the last one was made. */
export function withLastOutcome(actions: readonly Action[], outcome: OutcomeEvent): readonly Action[] {
  const last = actions.findLast(({ verb }) => verb !== "delete");
  return actions.map((action) => (action === last ? withOutcome(action, outcome) : action));
}
