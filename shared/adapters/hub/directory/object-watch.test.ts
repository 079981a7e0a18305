import { expect, onTestFinished, test, vi } from "vitest";
import { kinds } from "../../../domain/kubernetes/object.ts";
import type { HubError } from "../../../ports/hub.ts";
import { partsOf } from "../semantics/stored-object.ts";
import { changeSignals } from "./change-signals.ts";
import { openIndexDatabase } from "./index-database.ts";
import { replaceManifests } from "./ingest.ts";
import { objectIndex } from "./object-index.ts";
import { objectWatches } from "./object-watch.ts";

test("When the files cannot be read for a while, a watch should report it once and then continue", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const database = openIndexDatabase(":memory:");
  const index = objectIndex(database, () => undefined);
  const parts = partsOf({ ...kinds.MachineConfigPool, metadata: { name: "worker" } });
  replaceManifests(index, "worker.yaml", [{ file: "worker.yaml", position: 0, parts }]);

  let scans = 0;
  const scan = () => {
    scans++;
    if (scans < 3) throw Object.assign(new Error("permission denied"), { code: "EACCES" });
    return { unsettledMs: 0, againMs: 0, directories: [] };
  };
  const signals = changeSignals("/nowhere");
  const troubles: HubError[] = [];
  const watches = objectWatches(index, { scan }, signals, (error) => {
    troubles.push(error);
    queueMicrotask(signals.raise);
  });

  const verbs: string[] = [];
  const reading = (async () => {
    for await (const { verb } of watches.watch([kinds.MachineConfigPool], new AbortController().signal)) {
      verbs.push(verb);
      if (verb === "synced") watches.close();
    }
  })();
  await vi.advanceTimersByTimeAsync(0);
  vi.setSystemTime(Date.now() - 1); // timers and the clock may differ by a millisecond
  for (const elapsedMs of [1_000, 1, 1_000]) await vi.advanceTimersByTimeAsync(elapsedMs);
  await reading;
  database.close();
  expect(verbs).toEqual(["add", "synced"]);
  expect(scans).toBe(3);
  expect(troubles.map(({ code, message }) => [code, message])).toEqual([
    ["Forbidden", "watch: permission denied"],
  ]);
});
