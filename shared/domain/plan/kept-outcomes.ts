import { readJson } from "../kubernetes/json/nesting.ts";
import { isRecord, listOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isEventId } from "./hub-event.ts";
import type { OutcomeEvent, OutcomeTypePrefix } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

/**
 * Annotation with the outcomes of an object's last writes, as JSON. If the process is killed before it publishes an
 * outcome, the outcome is published for the redelivered message.
 */
export const outcomesAnnotation = "hubrelay.dev/outcomes";

/** The number of kept outcomes: a redelivered message finds its outcome even after four other writes. */
const maxKept = 5;
/** The maximum size of kept outcomes. Kubernetes allows 256 KiB for all annotations of an object together. */
const maxBytes = 32_768;

/** Which outcomes are wanted. All others are ignored, because annotations may be forged. */
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

/** Returns the object with these outcomes in its `outcomesAnnotation`. If not all fit, the oldest are dropped. */
export function withKeptOutcomes(object: KubernetesObject, outcomes: readonly unknown[]): KubernetesObject {
  const texts = outcomes.slice(-maxKept).map((outcome) => JSON.stringify(outcome));
  const kept = () => `[${texts.join(",")}]`;
  while (Buffer.byteLength(kept()) > maxBytes) texts.shift();
  const { [outcomesAnnotation]: _before, ...others } = object.metadata.annotations ?? {};
  const annotations = texts.length > 0 ? { ...others, [outcomesAnnotation]: kept() } : others;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Returns the action with an outcome. A created or updated object also stores the outcome in its annotation. */
export function withOutcome(action: Action, outcome: OutcomeEvent): Action {
  const { verb, object, outcomes = [] } = action;
  const isKept = verb === "create" || verb === "update";
  return {
    ...action,
    object: isKept ? withKeptOutcomes(object, [...keptOn(object), outcome]) : object,
    outcomes: [...outcomes, outcome],
  };
}

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

/** Returns all outcomes in an object's `outcomesAnnotation`. Anyone who may annotate the object can forge outcomes. */
export function keptOutcomesOn(object: KubernetesObject): readonly OutcomeEvent[] {
  return keptOn(object).filter(isOutcome);
}

/** Returns the stored outcomes of these objects that match the source, the type's prefix and one of the subjects. */
export function keptOutcomes(
  objects: readonly KubernetesObject[],
  { source, type, subjects }: KeptAbout,
): readonly OutcomeEvent[] {
  return objects
    .flatMap(keptOutcomesOn)
    .filter((one) => one.type.startsWith(type) && one.source === source && subjects.includes(one.subject));
}

/** Annotation of a Kubernetes Event: the id of the hub event that led to the last write of the Kubernetes Event. */
export const correlationAnnotation = "hubrelay.dev/correlation-id";

/**
 * Returns the action with this `correlationId` in those of its outcomes that the object stores and, if the object is a
 * Kubernetes Event, in `correlationAnnotation`. An invalid id is ignored. A new id alone causes no write: ids are never
 * compared.
 */
export function correlatedAction(action: Action, correlationId: string | undefined): Action {
  const { verb, object, outcomes = [] } = action;
  if ((verb !== "create" && verb !== "update") || !isEventId(correlationId)) return action;
  const written = withCorrelation(object, outcomes, correlationId);
  if (!isKind(kinds.Event, written)) return { ...action, object: written };
  const annotations = { ...written.metadata.annotations, [correlationAnnotation]: correlationId };
  return { ...action, object: { ...written, metadata: { ...written.metadata, annotations } } };
}
