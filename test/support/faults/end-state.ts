import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Ran } from "../golden/story.ts";
import { essential, objectsOn } from "../kills/hub-content.ts";

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A download's first measurement says when it was first seen, and how many bytes it had then. */
const withoutMoment = (key: string, value: unknown) => (key === "pullStart" ? "a time" : value);

/** A write that was made later has another time. */
export const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, withoutMoment).replaceAll(instant, "a time"));

async function everythingOn(hub: Hub): Promise<unknown> {
  return timeless(essential(await objectsOn(hub, Object.values(kinds))));
}

/** Nothing keeps the outcome of a deletion until it is published. */
const isOfDeletion = ({ data: { written } }: OutcomeEvent): boolean =>
  Array.isArray(written) && written.every((text) => String(text).startsWith("delete "));

/** Once more than an undisturbed run publishes: what was refused, where the other writes of a plan were made before. */
const isRepeat = ({ type }: OutcomeEvent): boolean => type.endsWith(".refused");

/** Returns what a run leaves on the hub, on the guest and at the topic. */
export async function endOf({ hub, guest, deadLetters, jobs, outcomes }: Ran) {
  const published = outcomes.filter((outcome) => !isOfDeletion(outcome) && !isRepeat(outcome));
  return {
    hub: await everythingOn(hub),
    guest: guest && (await everythingOn(guest)),
    deadLetters: new Set(deadLetters),
    /** The ManifestWorks that were ever created. */
    jobs,
    outcomes: new Set(published.map(({ id, type, subject }) => `${type} ${subject} ${id}`)),
  };
}
