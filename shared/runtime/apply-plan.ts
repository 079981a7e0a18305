import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import { isKind, kinds } from "../domain/kubernetes/kinds.ts";
import {
  displayName,
  type KubernetesObject,
  type ObjectReference,
  referenceTo,
} from "../domain/kubernetes/object.ts";
import type { Action, Plan, Send } from "../domain/plan/plan.ts";
import { type Hub, HubError, isLostRace } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { QueueError } from "../ports/queue.ts";
import { runConcurrently } from "./run-concurrently.ts";

/** Writes that may be under way at the same time: a fan-out must not take seconds a hundred, nor drown the hub. */
const writesAtOnce = 16;

/** A write that failed; the others of its plan were made all the same. */
export type FailedWrite = Readonly<{ action: Action; error: unknown }>;

/** What became of a plan. */
export type Application = Readonly<{
  outcome: "applied" | "lost-race" | "failed";
  /** Why it failed: the first trouble that was no lost race. */
  trouble?: unknown;
  /** Writes whose trouble is not the whole plan's. */
  failed: readonly FailedWrite[];
  /** The outcomes of the writes that were made. */
  outcomes: readonly OutcomeEvent[];
  /** The hub's objects that were written, as the last write left them. */
  written: readonly ObjectReference[];
}>;

/** Does one write; answers the object as it is then, nothing for one that is gone. */
async function write(hub: Hub, { verb, object }: Action): Promise<KubernetesObject | undefined> {
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

/** The API that takes a write. A guest was opened when it was looked at; one that was closed since is looked at again. */
function apiOf({ guest }: Action, { hub, external }: Pick<Ports, "hub" | "external">): Hub {
  if (guest === undefined) return hub;
  const opened = external?.guests.opened(guest);
  if (!opened) throw new HubError("Unavailable", `the API of ${guest} is not open`);
  return opened;
}

/** The object with the resourceVersion that an earlier write of the same plan gave it. */
function after(earlier: KubernetesObject | undefined, object: KubernetesObject): KubernetesObject {
  const resourceVersion = earlier?.metadata.resourceVersion;
  return resourceVersion ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object;
}

const isAccepted = ({ accepts }: Action, error: unknown): boolean =>
  error instanceof HubError && [accepts ?? []].flat().some((code) => code === error.code);

/**
 * Applies every action, then sends the plan's events. An action that fails does not keep the others from being tried: a
 * pool must not wait for another pool's trouble; but nothing is sent then, unless all that failed are Kubernetes Events:
 * what was decided stands without them, and the next reconcile may not send it again. Returns `lost-race` when somebody
 * else wrote an object first, so that the caller observes again, and never throws: whatever failed, the outcomes of the
 * writes that were made are the caller's to publish.
 *
 * Writes of objects that are `isApart` come last and side by side, in no order. Their failures are no trouble of the
 * plan: they are returned, and the caller repeats them by themselves.
 */
export async function applyPlan(
  plan: Plan,
  key: string,
  ports: Pick<Ports, "hub" | "external" | "log" | "queueNamed" | "correlationId">,
  isApart: (object: KubernetesObject) => boolean = () => false,
): Promise<Application> {
  const { log, queueNamed, correlationId } = ports;
  const correlation = correlationId === undefined ? {} : { correlationid: correlationId };
  const written = new Map<string, KubernetesObject>();
  const ownHub = new Map<string, ObjectReference>();
  const outcomes: OutcomeEvent[] = [];
  const failures: unknown[] = [];
  let isWritten = true;
  const failed: FailedWrite[] = [];
  const attempt = async (action: Action, fail: (error: unknown, object: string) => void): Promise<void> => {
    const own = displayName(referenceTo(action.object));
    const object = action.guest === undefined ? own : `${action.guest}: ${own}`;
    try {
      const stored = await write(apiOf(action, ports), {
        ...action,
        object: after(written.get(object), action.object),
      });
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

  await apply(plan.actions.filter(({ object }) => !isApart(object)));
  const parts = plan.actions.filter(({ object }) => isApart(object));
  await runConcurrently(parts, writesAtOnce, (action) =>
    attempt(action, (error) => failed.push({ action, error })),
  );
  const send = async ({ queue: name, events, reason }: Send): Promise<void> => {
    if (!queueNamed) throw new QueueError("QueueMissing", `no queue ${name} is known here`);
    await queueNamed(name).send(
      events.map((event) => ({ body: JSON.stringify({ ...event, ...correlation }) })),
    );
    log({ event: "sent", key, queue: name, messages: events.length, reason });
  };
  try {
    if (isWritten) for (const one of plan.sends ?? []) await send(one);
  } catch (error) {
    failures.push(error);
  }
  const done = { failed, outcomes, written: [...ownHub.values()] };
  const trouble = failures.find((error) => !isLostRace(error));
  if (trouble) return { ...done, outcome: "failed", trouble };
  return { ...done, outcome: failures.length > 0 ? "lost-race" : "applied" };
}
