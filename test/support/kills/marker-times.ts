import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** The time until the number of a mark is in the generated MachineConfig. */
export type MarkerTimes = Readonly<{
  /**
   * Announces that this mark is about to be set on the hub. Call it before the write, not after: the result may exist
   * before the response to the write, above all when the API server is killed in between.
   */
  expect(number: number): void;
  /** Resolves when this mark, or a later one, is in the result. */
  seen(number: number): Promise<void>;
  /** Milliseconds for each mark that has arrived. */
  waits: readonly number[];
  /** The marks that came after a later one in the same object: an older result was written over a newer one. */
  late: readonly number[];
  stop(): Promise<void>;
}>;

export function watchMarks(hub: Hub): MarkerTimes {
  const waiting = new Map<number, number>();
  const waits: number[] = [];
  const late: number[] = [];
  const stop = new AbortController();
  const latestIn = new Map<string, number>();
  let latest = -1;
  let wake = Promise.withResolvers<void>();

  function note(number: number): void {
    latest = Math.max(latest, number);
    const now = performance.now();
    for (const [mark, since] of [...waiting].filter(([mark]) => mark <= latest)) {
      waits.push(now - since);
      waiting.delete(mark);
    }
    wake.resolve();
    wake = Promise.withResolvers();
  }

  const watching = (async () => {
    for await (const change of hub.watch(kinds.MachineConfig, stop.signal)) {
      if (change.verb === "synced" || change.verb === "delete") continue;
      const text = readMachineConfigFiles(change.object)
        .map(({ contents }) => contents)
        .join("");
      const [, number] = /n(\d+)\.example\.com\/marker/.exec(text) ?? [];
      if (number === undefined) continue;
      const { name } = change.object.metadata;
      if (Number(number) < (latestIn.get(name) ?? -1)) late.push(Number(number));
      latestIn.set(name, Number(number));
      note(Number(number));
    }
  })();

  return {
    expect: (number) => {
      waiting.set(number, performance.now());
    },
    async seen(number) {
      while (latest < number) await wake.promise;
    },
    waits,
    late,
    async stop() {
      stop.abort();
      await watching;
    },
  };
}
