import { sentence } from "../domain/text/redact.ts";
import { RegistryError } from "../ports/registry.ts";
import type { Run } from "./skip-unresponsive.ts";

/** What runs the requests of a command, and the references about which one was refused or given up. */
export type RunLimits = Readonly<{ run: Run; cutOff: ReadonlySet<string> }>;

/** Returns limits of all requests of a run together: every further request fails at once, and time ends those that wait. */
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
