import { isAccessProblem, RegistryError } from "../ports/registry.ts";

/** The result of reading an image from its mirrors and, last, from its source. */
export type MirrorLookup<Content> =
  | Readonly<{
      state: "found";
      reference: string;
      /** Why the locations before `reference` failed, by location. */
      unavailable: ReadonlyMap<string, string>;
      content: Content;
    }>
  | Readonly<{
      state: "not found";
      unavailable: ReadonlyMap<string, string>;
      /** True if a registry refused the credentials, or its certificate is not trusted. */
      needsAccess?: boolean;
    }>
  /** The requested name is not an image name with a host. */
  | Readonly<{ state: "unreadable" }>;

/** An image that exists but lacks the expected content. The image is then read from the next location. */
export class UnfitImage extends Error {
  override readonly name = "UnfitImage";
  readonly code = "UnfitImage";
}

/** Returns an error's message without the reference at its start. */
export function messageWithoutReference({ message }: Error, reference: string): string {
  const about = `${reference}: `;
  return message.startsWith(about) ? message.slice(about.length) : message;
}

/** Returns the reasons why no location has the image, as one text. */
export function notFoundReason(lookup: Exclude<MirrorLookup<unknown>, { state: "found" }>): string {
  if (lookup.state === "unreadable") return "not an image name with a host";
  return [...lookup.unavailable].map(([where, why]) => `${where}: ${why}`).join("; ");
}

/** Reads an image with `ask` from the first location where this succeeds. */
export async function readFromLocations<Content>(
  locations: readonly string[],
  ask: (reference: string) => Promise<Content | undefined>,
): Promise<MirrorLookup<Content>> {
  const unavailable = new Map<string, string>();
  let needsAccess = false;
  for (const reference of new Set(locations)) {
    try {
      const content = await ask(reference);
      if (content !== undefined) return { state: "found", reference, unavailable, content };
      unavailable.set(reference, "the registry does not have it");
    } catch (error) {
      if (!(error instanceof RegistryError || error instanceof UnfitImage)) throw error;
      needsAccess ||= isAccessProblem(error);
      unavailable.set(reference, messageWithoutReference(error, reference));
    }
  }
  return { state: "not found", unavailable, needsAccess };
}
