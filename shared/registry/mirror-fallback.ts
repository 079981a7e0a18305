import { findCandidates } from "../domain/hosted-clusters/overrides/candidates.ts";
import type { ImageCandidate } from "../domain/hosted-clusters/overrides/image-candidate.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { tryResolveName } from "../domain/mirrors/pull/image-name.ts";
import { RegistryError } from "../ports/registry.ts";

/** What one of the places has that mirrors, and in the end the source, are for an image. */
export type MirrorLookup<Content> =
  | Readonly<{
      state: "found";
      /** Where it was found, and what else was asked in vain before, by reference with the reason. */
      reference: string;
      unavailable: ReadonlyMap<string, string>;
      content: Content;
    }>
  /** Nobody has it whom the rules allow to ask. */
  | Readonly<{ state: "not found"; unavailable: ReadonlyMap<string, string> }>
  /** It is no image name with a host. */
  | Readonly<{ state: "unreadable" }>;

/** An image that is there, but not what was looked for: the next place is asked. */
export class UnfitImage extends Error {
  override readonly name = "UnfitImage";
}

/** What a registry said about a reference, without the reference again. */
export function answerText({ message }: Error, reference: string): string {
  const about = `${reference}: `;
  return message.startsWith(about) ? message.slice(about.length) : message;
}

/** Why nothing was found, for people. */
export function whyNotFound(lookup: Exclude<MirrorLookup<unknown>, { state: "found" }>): string {
  if (lookup.state === "unreadable") return "it is no image name with a host";
  return [...lookup.unavailable].map(([where, why]) => `${where}: ${why}`).join("; ");
}

/** The candidate that is taken while these references are known to be of no use; undefined when none is left. */
export type TakeCandidate = (unavailable: ReadonlyMap<string, string>) => ImageCandidate | undefined;

/**
 * Asks one candidate after the other until one answers. Undefined from `ask` is an image that is not there; a
 * `RegistryError` or an `UnfitImage` is a place that is passed over.
 */
export async function readFromCandidates<Content>(
  take: TakeCandidate,
  ask: (reference: string) => Promise<Content | undefined>,
): Promise<MirrorLookup<Content>> {
  const unavailable = new Map<string, string>();
  for (;;) {
    const reference = take(unavailable)?.reference;
    if (!reference) return { state: "not found", unavailable };
    try {
      const content = await ask(reference);
      if (content !== undefined) return { state: "found", reference, unavailable, content };
      unavailable.set(reference, "the registry does not have it");
    } catch (error) {
      if (!(error instanceof RegistryError || error instanceof UnfitImage)) throw error;
      unavailable.set(reference, answerText(error, reference));
    }
  }
}

/** Asks the places of an image one after the other, as nodes do: see `readFromCandidates`. */
export async function readWithMirrorFallback<Content>(
  image: string,
  sources: ManagementMirrors["sources"],
  ask: (reference: string) => Promise<Content | undefined>,
): Promise<MirrorLookup<Content>> {
  const [parsed] = tryResolveName(image, {})?.references ?? [];
  if (!parsed) return { state: "unreadable" };
  const take: TakeCandidate = (unavailable) =>
    findCandidates(parsed, sources, unavailable).find(({ taken }) => taken);
  return readFromCandidates(take, ask);
}
