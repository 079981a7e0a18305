import { hostOf } from "../domain/images/image-scopes.ts";
import { RegistryError } from "../ports/registry.ts";

/** After this many timeouts in a row a registry is skipped. */
const maxTimeouts = 3;

const isUnresponsive = (error: unknown): boolean =>
  error instanceof RegistryError && ["Timeout", "Unavailable"].includes(error.code);

/** Returns a function that runs requests, and fails at once for a registry that did not respond to the last ones. */
export function skipUnresponsive(): <Result>(
  reference: string,
  ask: () => Promise<Result>,
) => Promise<Result> {
  const timeouts = new Map<string, number>();
  return async (reference, ask) => {
    const host = hostOf(reference);
    if ((timeouts.get(host) ?? 0) >= maxTimeouts)
      throw new RegistryError("Unavailable", `${reference}: the registry did not respond for other images`);
    try {
      const result = await ask();
      timeouts.delete(host);
      return result;
    } catch (error) {
      if (isUnresponsive(error)) timeouts.set(host, (timeouts.get(host) ?? 0) + 1);
      throw error;
    }
  };
}
