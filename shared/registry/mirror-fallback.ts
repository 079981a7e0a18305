import { isAccessProblem, RegistryError } from "../ports/registry.ts";

/** The result of looking up an image at its mirrors and, last, at its source. */
export type MirrorLookup<Content> =
  | Readonly<{
      state: "found";
      /** `reference` is the location that has the image; the references that failed before it are listed with the reason. */
      reference: string;
      unavailable: ReadonlyMap<string, string>;
      content: Content;
    }>
  /** No permitted location has the image. */
  | Readonly<{
      state: "not found";
      unavailable: ReadonlyMap<string, string>;
      /** A registry refused the credentials, or its certificate is not trusted. */
      needsAccess?: boolean;
    }>
  /** Not an image name with a host. */
  | Readonly<{ state: "unreadable" }>;

/** An image that exists but is not the expected one; the next location is tried. */
export class UnfitImage extends Error {
  override readonly name = "UnfitImage";
  readonly code = "UnfitImage";
}

/** Returns the error's message without the leading reference. */
export function messageWithoutReference({ message }: Error, reference: string): string {
  const about = `${reference}: `;
  return message.startsWith(about) ? message.slice(about.length) : message;
}

/** Returns why nothing was found, for people. */
export function notFoundReason(lookup: Exclude<MirrorLookup<unknown>, { state: "found" }>): string {
  if (lookup.state === "unreadable") return "not an image name with a host";
  return [...lookup.unavailable].map(([where, why]) => `${where}: ${why}`).join("; ");
}

/**
 * Reads from one location after the other until one succeeds. Undefined from `ask` means that the image does not
 * exist; after a `RegistryError` or an `UnfitImage` the next location is tried.
 */
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
