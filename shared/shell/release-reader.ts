import { findCandidates } from "../domain/hosted-clusters/overrides/candidates.ts";
import type { ManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import {
  imageReferencesPath,
  type ReleaseContent,
  readReleaseContent,
} from "../domain/hosted-clusters/release-content.ts";
import { tryResolveName } from "../domain/mirrors/image-name.ts";
import { type Registry, type RegistryAccess, RegistryError } from "../ports/registry.ts";

/** What the mirrors of the management cluster, and in the end the source, have of a release. */
export type ReleaseLookup =
  | Readonly<{
      state: "found";
      /** Where it was found, and what else was asked in vain before, by reference with the reason. */
      reference: string;
      unavailable: ReadonlyMap<string, string>;
      content: ReleaseContent;
    }>
  /** Nobody has it whom the rules allow to ask. */
  | Readonly<{ state: "not found"; unavailable: ReadonlyMap<string, string> }>
  /** It is no image name with a host. */
  | Readonly<{ state: "unreadable" }>;

export type ReleaseReader = Readonly<{
  /** Looks a release image up; registries that fail are passed over, as nodes do. */
  read(image: string, sources: ManagementMirrors["sources"], access?: RegistryAccess): Promise<ReleaseLookup>;
}>;

/** A release image that is there, but is none. Not kept: somebody will push another. */
class NoRelease extends Error {
  override readonly name = "NoRelease";
}

/** What a registry said about a reference, without the reference again. */
export function answerText({ message }: Error, reference: string): string {
  const about = `${reference}: `;
  return message.startsWith(about) ? message.slice(about.length) : message;
}

/** A cache of so many values, the least recently used goes first; a failure is not kept. */
function keepRecent<Value>(capacity: number): (key: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>();
  return async (key, make) => {
    const value = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break;
      kept.delete(oldest);
    }
    try {
      return await value;
    } catch (error) {
      if (kept.get(key) === value) kept.delete(key);
      throw error;
    }
  };
}

/**
 * Reads release images through the mirrors. What has been read is kept by digest and credential, at most `capacity`
 * releases: a tag is asked for each time, and nobody is given what was read with another's credential.
 */
export function releaseReader(registry: Registry, { capacity = 64 } = {}): ReleaseReader {
  const keep = keepRecent<ReleaseContent>(capacity);

  async function contentOf(reference: string, access: RegistryAccess): Promise<ReleaseContent | undefined> {
    const digest = await registry.digest(reference, access);
    if (digest === undefined) return undefined;
    return keep(JSON.stringify([reference.replace(/[:@][^/]*$/, ""), digest, access]), async () => {
      const [image, files] = await Promise.all([
        registry.image(reference, access),
        registry.files(reference, [imageReferencesPath], access),
      ]);
      const read = readReleaseContent(image?.labels ?? {}, files.get(imageReferencesPath));
      if ("problem" in read) throw new NoRelease(read.problem);
      return read;
    });
  }

  return {
    async read(image, sources, access = {}) {
      const [parsed] = tryResolveName(image, {})?.references ?? [];
      if (!parsed) return { state: "unreadable" };
      const unavailable = new Map<string, string>();
      for (;;) {
        const reference = findCandidates(parsed, sources, unavailable).find(({ taken }) => taken)?.reference;
        if (!reference) return { state: "not found", unavailable };
        try {
          const content = await contentOf(reference, access);
          if (content) return { state: "found", reference, unavailable, content };
          unavailable.set(reference, "the registry does not have it");
        } catch (error) {
          if (!(error instanceof RegistryError || error instanceof NoRelease)) throw error;
          unavailable.set(reference, answerText(error, reference));
        }
      }
    },
  };
}
