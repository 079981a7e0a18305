import { readJson } from "../kubernetes/json/nesting.ts";
import { isRecord, listOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isEventId } from "./hub-event.ts";
import type { OutcomeEvent, OutcomeTypePrefix } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

/**
 * The outcomes of an object's last writes, as JSON in its annotation. Each is stored by the write itself, so that the
 * redelivered message publishes it when the process is killed before it could.
 */
export const outcomesAnnotation = "hubrelay.dev/outcomes";

/** The number of writes between a crash and the redelivery without loss of an outcome. */
const maxKept = 5;
/** All annotations of an object share 256 KiB, and other programs need room there as well. */
const maxBytes = 32_768;

/** Which outcomes are accepted from annotations: the right to annotate an object must not allow other reports. */
type KeptAbout = Readonly<{
  source: string;
  type: OutcomeTypePrefix;
  subjects: readonly string[];
}>;

function isOutcome(value: unknown): value is OutcomeEvent {
  return (
    isRecord(value) &&
    value.specversion === "1.0" &&
    typeof value.id === "string" &&
    typeof value.type === "string" &&
    typeof value.source === "string" &&
    typeof value.subject === "string" &&
    isRecord(value.data) &&
    (value.correlationid === undefined || isEventId(value.correlationid))
  );
}

function keptOn({ metadata }: KubernetesObject): readonly unknown[] {
  try {
    const kept: unknown = readJson(metadata.annotations?.[outcomesAnnotation] ?? "[]");
    return listOf(kept);
  } catch {
    return [];
  }
}

/** Returns the object with these outcomes in its annotation; only the last ones if there is no room for all. */
export function withKeptOutcomes(object: KubernetesObject, outcomes: readonly unknown[]): KubernetesObject {
  const texts = outcomes.slice(-maxKept).map((outcome) => JSON.stringify(outcome));
  const kept = () => `[${texts.join(",")}]`;
  while (Buffer.byteLength(kept()) > maxBytes) texts.shift();
  const { [outcomesAnnotation]: _before, ...others } = object.metadata.annotations ?? {};
  const annotations = texts.length > 0 ? { ...others, [outcomesAnnotation]: kept() } : others;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Returns the action with the outcome of its write, which is stored on the written object and published afterwards. */
export function withOutcome(action: Action, outcome: OutcomeEvent): Action {
  const { verb, object, outcomes = [] } = action;
  const isKept = verb === "create" || verb === "update";
  return {
    ...action,
    object: isKept ? withKeptOutcomes(object, [...keptOn(object), outcome]) : object,
    outcomes: [...outcomes, outcome],
  };
}

/** Sets the id of the hub event that led to these outcomes. */
function withCorrelation(
  object: KubernetesObject,
  outcomes: readonly OutcomeEvent[],
  correlationid: string,
): KubernetesObject {
  const ids = new Set<unknown>(outcomes.map(({ id }) => id));
  const kept = keptOn(object);
  const isOwn = (value: unknown) => isRecord(value) && ids.has(value.id);
  if (!kept.some(isOwn)) return object;
  return withKeptOutcomes(
    object,
    kept.map((value) => (isRecord(value) && isOwn(value) ? { ...value, correlationid } : value)),
  );
}

/** Returns all outcomes in an object's annotation. Anyone who may annotate it may have written them. */
export function keptOutcomesOn(object: KubernetesObject): readonly OutcomeEvent[] {
  return keptOn(object).filter(isOutcome);
}

/** Returns the accepted outcomes of the last writes of these objects. */
export function keptOutcomes(
  objects: readonly KubernetesObject[],
  { source, type, subjects }: KeptAbout,
): readonly OutcomeEvent[] {
  return objects
    .flatMap(keptOutcomesOn)
    .filter((one) => one.type.startsWith(type) && one.source === source && subjects.includes(one.subject));
}

/** On a Kubernetes Event: the id of the hub event that led to its last write. */
export const correlationAnnotation = "hubrelay.dev/correlation-id";

/**
 * Returns the action with the id of the hub event that led to it, on a Kubernetes Event and in the outcomes that the
 * written object keeps. The id is never compared, so that it causes no write; an id in another form than that of hub events
 * is left out.
 */
export function correlatedAction(action: Action, correlationId: string | undefined): Action {
  const { verb, object, outcomes = [] } = action;
  if ((verb !== "create" && verb !== "update") || !isEventId(correlationId)) return action;
  const written = withCorrelation(object, outcomes, correlationId);
  if (!isKind(kinds.Event, written)) return { ...action, object: written };
  const annotations = { ...written.metadata.annotations, [correlationAnnotation]: correlationId };
  return { ...action, object: { ...written, metadata: { ...written.metadata, annotations } } };
}
