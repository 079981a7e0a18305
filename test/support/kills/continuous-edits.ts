import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { Hub } from "#shared/ports/hub.ts";
import { edits, makeEdit, markWith } from "./edits.ts";
import type { MarkerTimes } from "./marker-times.ts";

/** Edits a hub continuously, as the seed says, and sets the next mark after each edit. */
export function editContinuously(hub: Hub, marks: MarkerTimes, seed: number) {
  const over = new AbortController();
  let number = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const mark = async (): Promise<void> => {
    marks.expect(++number);
    await markWith(hub, number);
  };
  const editing = (async () => {
    for (const edit of fc.sample(edits, { numRuns: 100_000, seed })) {
      if (over.signal.aborted) return;
      await inTurn(async () => {
        if (over.signal.aborted) return;
        await makeEdit(hub, edit);
        await mark();
      });
      await sleep(50 + edit.choice * 10);
    }
  })();
  editing.catch(() => over.abort()); // reported where it is stopped

  return {
    /** The number of the latest mark. */
    latest: () => number,
    /** Sets one more mark, and makes no edit until the work is done. */
    quietly: <Result>(work: () => Promise<Result>) =>
      inTurn(async () => {
        await mark();
        return work();
      }),
    /** Makes no further edit. */
    end: () => over.abort(),
    async stop(): Promise<void> {
      over.abort();
      await editing;
    },
  };
}
