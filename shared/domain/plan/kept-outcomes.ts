import { readJson } from "../kubernetes/json/nesting.ts";
import { isRecord, listOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isEventId } from "./hub-event.ts";
import type { OutcomeEvent, OutcomeTypePrefix } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

/**
 * Annotation with the outcomes of an object's last writes, as JSON. Each write stores its outcome: if the process is killed
 * before it publishes the outcome, the outcome is published for the redelivered message.
 */
export const outcomesAnnotation = "hubrelay.dev/outcomes";

/** How many outcomes an object keeps: a redelivered message finds its outcome if at most four writes followed. */
const maxKept = 5;
/** The limit in bytes for the outcomes. All annotations of an object share 256 KiB with other programs. */
const maxBytes = 32_768;

/** Which outcomes to accept from annotations. Outcomes of another source or about other subjects may be forged. */
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

/** Returns the object with these outcomes in its `outcomesAnnotation`; the oldest are dropped if there are too many. */
export function withKeptOutcomes(object: KubernetesObject, outcomes: readonly unknown[]): KubernetesObject {
  const texts = outcomes.slice(-maxKept).map((outcome) => JSON.stringify(outcome));
  const kept = () => `[${texts.join(",")}]`;
  while (Buffer.byteLength(kept()) > maxBytes) texts.shift();
  const { [outcomesAnnotation]: _before, ...others } = object.metadata.annotations ?? {};
  const annotations = texts.length > 0 ? { ...others, [outcomesAnnotation]: kept() } : others;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Adds an outcome to an action: the created or updated object stores the outcome, which is published after the write. */
export function withOutcome(action: Action, outcome: OutcomeEvent): Action {
  const { verb, object, outcomes = [] } = action;
  const isKept = verb === "create" || verb === "update";
  return {
    ...action,
    object: isKept ? withKeptOutcomes(object, [...keptOn(object), outcome]) : object,
    outcomes: [...outcomes, outcome],
  };
}

/** Sets `correlationid` in the outcomes that both the object's `outcomesAnnotation` and `outcomes` contain. */
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

/** Returns all outcomes in an object's `outcomesAnnotation`. Anyone who may annotate the object may have forged them. */
export function keptOutcomesOn(object: KubernetesObject): readonly OutcomeEvent[] {
  return keptOn(object).filter(isOutcome);
}

/** Returns those outcomes of these objects' last writes that match the source, the type prefix and one of the subjects. */
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
 * Adds `correlationId`, the id of the hub event that led to the action, to each of the action's outcomes that the
 * object stores, and to `correlationAnnotation` if the object is a Kubernetes Event. An invalid id is not added. A new
 * id alone causes no write, because ids are never compared.
 */
export function correlatedAction(action: Action, correlationId: string | undefined): Action {
  const { verb, object, outcomes = [] } = action;
  if ((verb !== "create" && verb !== "update") || !isEventId(correlationId)) return action;
  const written = withCorrelation(object, outcomes, correlationId);
  if (!isKind(kinds.Event, written)) return { ...action, object: written };
  const annotations = { ...written.metadata.annotations, [correlationAnnotation]: correlationId };
  return { ...action, object: { ...written, metadata: { ...written.metadata, annotations } } };
}
