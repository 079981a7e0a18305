import {
  displayName,
  isKind,
  type KubernetesObject,
  kinds,
  type ObjectReference,
  referenceTo,
} from "../domain/kubernetes/object.ts";
import { correlatedAction } from "../domain/plan/kept-outcomes.ts";
import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import type { Action, FailedPart, Plan, Send } from "../domain/plan/plan.ts";
import { sentence } from "../domain/text/redact.ts";
import { type Hub, HubError, isLostRace } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { QueueError } from "../ports/queue.ts";
import { runConcurrently } from "./run-concurrently.ts";

/** Maximum concurrent writes of parts. A hundred sequential writes take seconds; all at once would overload the hub. */
const writeConcurrency = 16;

export type ApplyResult = Readonly<{
  outcome: "applied" | "lost-race" | "failed";
  /** The first error other than a lost race. */
  error?: unknown;
  /** The parts whose writes failed. Their failures do not make the plan fail. */
  failed: readonly FailedPart[];
  outcomes: readonly OutcomeEvent[];
  /** References to the objects that were written on the hub, each with the version of its last write. */
  written: readonly ObjectReference[];
}>;

async function write(
  hub: Hub,
  { verb, object }: Pick<Action, "verb" | "object">,
): Promise<KubernetesObject | undefined> {
  switch (verb) {
    case "create":
      return hub.create(object);
    case "update":
      return hub.update(object);
    case "update-status":
      return hub.updateStatus(object);
    case "delete":
      await hub.delete(referenceTo(object));
      return undefined;
  }
}

/** Throws if the connection to the guest is closed. */
function apiOf({ guest }: Action, { hub, external }: Pick<Ports, "hub" | "external">): Hub {
  if (guest === undefined) return hub;
  const opened = external.guests?.opened(guest);
  if (!opened) throw new HubError("Unavailable", sentence`the API of ${guest} is not open`);
  return opened;
}

/** Returns the object with the resourceVersion of its `earlier` write in this plan; unchanged if there was none. */
function after(earlier: KubernetesObject | undefined, object: KubernetesObject): KubernetesObject {
  const resourceVersion = earlier?.metadata.resourceVersion;
  return resourceVersion ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object;
}

const isAccepted = ({ accepts }: Action, error: unknown): boolean =>
  error instanceof HubError && [accepts ?? []].flat().some((code) => code === error.code);

/**
 * Applies the guard and, unless it failed, the actions (those of parts last, and concurrently), then sends the plan's
 * messages. After a failed action the others are still tried, but no message is sent; a failed Event or part does not
 * prevent messages. Returns `lost-race` if another writer was first, or once `isOutdated` returns true: the caller must
 * then observe again. Never throws, because the caller publishes the outcomes of completed writes.
 */
export async function applyPlan(
  plan: Plan,
  key: string,
  ports: Pick<Ports, "hub" | "external" | "log" | "queueNamed" | "correlationId">,
  isOutdated: () => boolean = () => false,
): Promise<ApplyResult> {
  const { log, queueNamed, correlationId } = ports;
  const correlation = correlationId === undefined ? {} : { correlationid: correlationId };
  const written = new Map<string, KubernetesObject>();
  const ownHub = new Map<string, ObjectReference>();
  const outcomes: OutcomeEvent[] = [];
  const failures: unknown[] = [];
  let isWritten = true;
  const failed: FailedPart[] = [];
  const attempt = async (action: Action, fail: (error: unknown, object: string) => void): Promise<void> => {
    const own = displayName(referenceTo(action.object));
    const object = action.guest === undefined ? own : `${action.guest}: ${own}`;
    try {
      if (isOutdated())
        throw new HubError("Conflict", sentence`${object}: the process was paused after its reads`);
      const { verb, object: target } = correlatedAction(action, correlationId);
      const stored = await write(apiOf(action, ports), { verb, object: after(written.get(object), target) });
      if (stored) written.set(object, stored);
      if (stored && action.guest === undefined) ownHub.set(object, referenceTo(stored));
      outcomes.push(...(action.outcomes ?? []));
      log({ event: "written", key, verb: action.verb, object, reason: action.reason });
    } catch (error) {
      if (!isAccepted(action, error)) fail(error, object);
    }
  };
  const apply = async (actions: readonly Action[]): Promise<void> => {
    for (const action of actions)
      await attempt(action, (error, object) => {
        if (isLostRace(error)) log({ event: "conflict", key, object });
        if (!isKind(kinds.Event, action.object)) isWritten = false;
        failures.push(error);
      });
  };

  if (plan.guard) await apply([plan.guard]);
  const actions = failures.length === 0 ? plan.actions : [];
  await apply(actions.filter(({ part }) => part === undefined));
  const ofParts = actions.flatMap((action) =>
    action.part === undefined ? [] : [{ action, part: action.part }],
  );
  await runConcurrently(ofParts, writeConcurrency, ({ action, part }) =>
    attempt(action, (error) => failed.push({ part, error })),
  );
  const send = async ({ queue: name, events, reason, delaySeconds }: Send): Promise<void> => {
    const delay = delaySeconds === undefined ? {} : { delaySeconds };
    if (!queueNamed) throw new QueueError("QueueMissing", sentence`no such queue: ${name}`);
    await queueNamed(name).send(
      events.map((event) => ({ body: JSON.stringify({ ...event, ...correlation }), ...delay })),
    );
    log({ event: "sent", key, queue: name, messages: events.length, reason });
  };
  try {
    if (isWritten) for (const one of plan.sends ?? []) await send(one);
  } catch (error) {
    failures.push(error);
  }
  const done = { failed, outcomes, written: [...ownHub.values()] };
  const error = failures.find((failure) => !isLostRace(failure));
  if (error) return { ...done, outcome: "failed", error };
  return { ...done, outcome: failures.length > 0 ? "lost-race" : "applied" };
}
