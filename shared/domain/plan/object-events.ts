import { hash } from "node:crypto";
import { explanation, hasErrors, type Issue } from "../issues/issue.ts";
import { byCodeUnit, ownValue } from "../kubernetes/json/values.ts";
import { displayName, type KubernetesObject, referenceTo, timestamp } from "../kubernetes/object.ts";
import { printable, sentence } from "../text/redact.ts";
import { withOutcome } from "./kept-outcomes.ts";
import type { OutcomeEvent } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

/** A report on an object, written as a Kubernetes Event and shown by `oc describe`. */
export type ObjectEvent = Readonly<{
  regarding: KubernetesObject;
  type: "Normal" | "Warning";
  /** The Event's reason: one word in CamelCase. */
  reason: string;
  message: string;
  /** Distinguishes reports with the same reason on one object, e.g. by field path. */
  distinction?: string;
  /** True for a report that must stay: its Event is written every half hour, as API servers remove old Events. */
  isLasting?: true;
  /** Further annotations of the Event, in which the function stores what its later reconciles need. */
  memory?: Readonly<Record<string, string>>;
  /** The outcome event to publish when the Kubernetes Event is created. */
  outcome?: OutcomeEvent;
}>;

/** Label of each Kubernetes Event that hubrelay writes: the name of the function that wrote it. */
export const functionLabel = "hubrelay.dev/function";

/** The maximum length of an Event's message in characters. The Kubernetes API refuses longer messages. */
const maxMessageLength = 1024;
const observedAnnotation = "hubrelay.dev/observed";

const repeatMs = 30 * 60_000;

function isToRepeat({ lastTimestamp }: KubernetesObject, now: Date): boolean {
  return !(Date.parse(String(lastTimestamp)) > now.getTime() - repeatMs);
}

function observedState({ metadata }: KubernetesObject): string {
  // Changes of the status do not increase the generation.
  return `${metadata.uid ?? ""}/${metadata.generation ?? metadata.resourceVersion ?? ""}`;
}

/** Returns the name of a report's Kubernetes Event. Reports that differ only in the message get the same name. */
export function eventName({ regarding, reason, distinction }: ObjectEvent, component: string): string {
  const { namespace, name } = regarding.metadata;
  const identity = [component, regarding.kind, namespace ?? "", name, reason, distinction ?? ""].join("\n");
  const digest = hash("sha256", identity).slice(0, 16);
  return `${name.slice(0, 200)}.${digest}`;
}

function namespaceOf({ regarding }: ObjectEvent): string {
  return regarding.metadata.namespace ?? "default";
}

/** Many users read Events, so possible credentials are redacted. */
function eventMessage(text: string): string {
  const message = printable(text);
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength - 1)}…`;
}

/** Returns when a report was first made, according to its Event among `existing`; undefined without that Event. */
export function firstSeen(
  objectEvent: ObjectEvent,
  component: string,
  existing: readonly KubernetesObject[],
): Date | undefined {
  const name = eventName(objectEvent, component);
  const found = existing.find(({ metadata }) => metadata.name === name)?.firstTimestamp;
  return typeof found === "string" ? new Date(found) : undefined;
}

/** Returns the Events among `existing` that hubrelay wrote for these reports. */
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

/** Returns the writes that make the hub's Events match these reports: creates, updates and deletes. */
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
    const { regarding, type, reason, isLasting = false, memory = {}, outcome } = objectEvent;
    const message = eventMessage(objectEvent.message);
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
      const action: Action = { verb: "create", object, reason: sentence`reports ${reason} on ${about}` };
      return [outcome ? withOutcome(action, outcome) : action];
    }
    const annotations: Readonly<Record<string, string>> = { ...memory, [observedAnnotation]: observed };
    const isUnchanged = Object.entries(annotations).every(
      ([name, value]) => ownValue(found.metadata.annotations, name) === value,
    );
    if (isUnchanged && found.message === message && !(isLasting && isToRepeat(found, now))) return [];
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
    return [{ verb: "update", object, reason: sentence`reports ${reason} on ${about} again` }];
  });

  const outdated = [...present.values()]
    .filter(({ metadata }) => !wanted.has(metadata.name))
    .map(
      (object): Action => ({ verb: "delete", object, reason: sentence`${object.reason} no longer applies` }),
    );
  return [...written, ...outdated].sort((a, b) => byCodeUnit(a.object.metadata.name, b.object.metadata.name));
}

/**
 * Returns `eventActions`. If there are errors and no action has an outcome yet, the last of `eventActions` that does
 * not delete gets an outcome from `refusal`, which is called with the resourceVersions of the Events.
 */
export function withRefusal(
  eventActions: readonly Action[],
  { actions, issues }: Readonly<{ actions: readonly Action[]; issues: readonly Issue[] }>,
  refusal: (from: string) => OutcomeEvent,
): readonly Action[] {
  const isReported = [...actions, ...eventActions].some(({ outcomes }) => outcomes);
  if (isReported || !hasErrors(issues)) return eventActions;
  const outcome = refusal(eventActions.map(({ object }) => object.metadata.resourceVersion ?? "").join());
  const last = eventActions.findLast(({ verb }) => verb !== "delete");
  return eventActions.map((action) => (action === last ? withOutcome(action, outcome) : action));
}

/** Returns a report for each issue and each of its conflicting issues, if `objects` has the object to edit. */
export function issueEvents(
  given: readonly Issue[],
  objects: readonly KubernetesObject[],
): readonly ObjectEvent[] {
  const issues = given.flatMap((issue) => [issue, ...(issue.conflicting ?? [])]);
  const sameField = Map.groupBy(issues, ({ code, object, path }) => JSON.stringify([code, object, path]));
  const isOnly = ({ code, object, path }: Issue) =>
    sameField.get(JSON.stringify([code, object, path]))?.length === 1;
  const byName = new Map(objects.map((object) => [displayName(referenceTo(object)), object]));
  return issues.flatMap((issue): ObjectEvent[] => {
    const regarding = byName.get(displayName(issue.object));
    if (!regarding) return [];
    return [
      {
        regarding,
        type: "Warning",
        reason: issue.code,
        message: [issue.path, explanation(issue)].filter(Boolean).join(": "),
        distinction: isOnly(issue) ? issue.path : `${issue.path} ${JSON.stringify(issue.value)}`,
      },
    ];
  });
}
