import { hostOf } from "../domain/images/scope.ts";
import { sentence } from "../domain/text/redact.ts";
import { type Registry, RegistryError } from "../ports/registry.ts";
import type { RegistryContents } from "../ports/registry-contents.ts";
import { messageWithoutReference } from "./mirror-fallback.ts";

/** After this many timeouts in a row a registry is skipped. */
const maxTimeouts = 3;

const isUnresponsive = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && ["Timeout", "Unavailable"].includes(error.code);

/** Runs a request about an image or repository. */
export type Run = <Result>(reference: string, ask: () => Promise<Result>) => Promise<Result>;

/** Returns a function that runs requests, and fails at once for a registry that did not respond to the last ones. */
function skipUnresponsive(): Run {
  const timeouts = new Map<string, Readonly<{ count: number; why: string }>>();
  return async (reference, ask) => {
    const host = hostOf(reference);
    const { count = 0, why = "" } = timeouts.get(host) ?? {};
    if (count >= maxTimeouts)
      throw new RegistryError(
        "Unavailable",
        sentence`${reference}: the registry did not respond for other images (${why})`,
      );
    try {
      const result = await ask();
      timeouts.delete(host);
      return result;
    } catch (error) {
      if (isUnresponsive(error))
        timeouts.set(host, {
          count: (timeouts.get(host)?.count ?? 0) + 1,
          why: messageWithoutReference(error, reference),
        });
      throw error;
    }
  };
}

/** Returns registries whose every request is run by a function. */
export function runBy(registry: Registry & RegistryContents, run: Run): Registry & RegistryContents {
  return {
    digest: (image, ...more) => run(image, () => registry.digest(image, ...more)),
    tags: (repository, ...more) => run(repository, () => registry.tags(repository, ...more)),
    image: (image, ...more) => run(image, () => registry.image(image, ...more)),
    files: (image, ...more) => run(image, () => registry.files(image, ...more)),
    manifest: (image, ...more) => run(image, () => registry.manifest(image, ...more)),
    hasBlob: (image, ...more) => run(image, () => registry.hasBlob(image, ...more)),
    hasSignature: (image, ...more) => run(image, () => registry.hasSignature(image, ...more)),
    visitFolder: (image, ...more) => run(image, () => registry.visitFolder(image, ...more)),
  };
}

/** Returns the registries for one run, in which one that hangs or is down costs a few requests, whatever they are about. */
export function withoutUnresponsive(registry: Registry & RegistryContents): Registry & RegistryContents {
  return runBy(registry, skipUnresponsive());
}
