import { hostOf } from "../domain/images/scope.ts";
import { sentence } from "../domain/text/redact.ts";
import { type Registry, type RegistryContents, RegistryError } from "../ports/registry.ts";
import { messageWithoutReference } from "./mirror-fallback.ts";

/** `run` makes requests within limits. `cutOff` has the references that were not read because of a limit. */
export type RunLimits = Readonly<{ run: Run; cutOff: ReadonlySet<string> }>;

/** Returns limits for a command: at most `requests` requests; once `timeUp` aborts, all fail, even if in progress. */
export function runLimits({
  requests,
  timeUp,
}: Readonly<{ requests: number; timeUp: AbortSignal }>): RunLimits {
  const cutOff = new Set<string>();
  const cut = (reference: string, limit: string): RegistryError => {
    cutOff.add(reference);
    return new RegistryError("Unavailable", sentence`${reference}: not checked, since ${limit}`);
  };
  const overTime = "the time of the run is up";
  const over = new Promise<void>((resolve) => {
    timeUp.addEventListener("abort", () => resolve(), { once: true });
  });
  let begun = 0;
  return {
    cutOff,
    run: async (reference, ask) => {
      if (timeUp.aborted) throw cut(reference, overTime);
      if (begun >= requests) throw cut(reference, sentence`${requests} requests were made`);
      begun++;
      return Promise.race([
        ask(),
        over.then(() => {
          throw cut(reference, overTime);
        }),
      ]);
    },
  };
}

const maxTimeouts = 3;

const isUnresponsive = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && ["Timeout", "Unavailable"].includes(error.code);

type Run = <Result>(reference: string, ask: () => Promise<Result>) => Promise<Result>;

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

/** Returns a registry port that makes every request through `run`. */
export function runBy(registry: Registry & RegistryContents, run: Run): Registry & RegistryContents {
  return {
    digest: (image, ...more) => run(image, () => registry.digest(image, ...more)),
    image: (image, ...more) => run(image, () => registry.image(image, ...more)),
    files: (image, ...more) => run(image, () => registry.files(image, ...more)),
    manifest: (image, ...more) => run(image, () => registry.manifest(image, ...more)),
    hasBlob: (image, ...more) => run(image, () => registry.hasBlob(image, ...more)),
    signatures: (image, ...more) => run(image, () => registry.signatures(image, ...more)),
    visitFolder: (image, ...more) => run(image, () => registry.visitFolder(image, ...more)),
  };
}

/** Returns a registry port for one run. It skips a registry that has not responded three times in a row. */
export function withoutUnresponsive(registry: Registry & RegistryContents): Registry & RegistryContents {
  return runBy(registry, skipUnresponsive());
}
