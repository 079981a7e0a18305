import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/setup/temporary-folder.ts";
import { openDirectoryHub } from "../../adapters/hub/directory/directory-hub.ts";
import { kinds } from "../../domain/kubernetes/object.ts";
import { type Hub, HubError } from "../../ports/hub.ts";
import type { LogEntry } from "../../ports/log.ts";
import { whileLeading } from "./leader-election.ts";

const lease = { namespace: "hubrelay", name: "forwarder" };
/** Longer than a busy machine lets a process wait, so that a Lease expires only where that is the subject. */
const timing = { durationMs: 60_000, renewWithinMs: 30_000, retryMs: 20, standbyMs: 20 };
const expiresSoon = { durationMs: 1_000, renewWithinMs: 600, retryMs: 20, standbyMs: 20 };
let hub: Hub;

beforeEach(async () => {
  const opened = openDirectoryHub(await temporaryFolder());
  hub = opened;
  onTestFinished(() => opened.close());
});

/** Resolves when the signal aborts. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** A candidate process; its leading can be awaited. */
function aProcess(identity: string, on: Hub = hub, times = timing, process = "forward") {
  const stop = new AbortController();
  const entries: LogEntry[] = [];
  const terms: Readonly<{ signal: AbortSignal }>[] = [];
  const problems: (string | undefined)[] = [];
  let wake = Promise.withResolvers<void>();
  const note = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const ended = whileLeading(
    {
      hub: on,
      lease,
      process,
      identity,
      timing: times,
      signal: stop.signal,
      now: () => new Date(),
      onAttempt: (problem) => problems.push(problem),
      log: (entry) => {
        entries.push(entry);
        note();
      },
    },
    async (signal) => {
      terms.push({ signal });
      note();
      await aborted(signal);
    },
  );
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const until = async (condition: () => boolean) => {
    while (!condition()) await wake.promise;
  };
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
    entries,
    term: async (index: number) => {
      await until(() => terms.length > index);
      return terms[index]?.signal ?? AbortSignal.abort();
    },
    problem: () => problems.at(-1),
    logged: (event: LogEntry["event"]) => until(() => entries.some((entry) => entry.event === event)),
    terms,
  };
}

/** Resolves when the Lease was written after now. */
async function isRenewed(): Promise<void> {
  const stop = new AbortController();
  let isSynced = false;
  for await (const { verb } of hub.watch(kinds.Lease, stop.signal)) {
    if (isSynced) stop.abort();
    isSynced ||= verb === "synced";
  }
}

/** The hub as one process sees it, which the test can disconnect. */
function aConnection() {
  let isCut = false;
  const through = <Result>(work: () => Promise<Result>): Promise<Result> =>
    isCut ? Promise.reject(new HubError("Unavailable", "cut off")) : work();
  const connected: Hub = {
    ...hub,
    get: (...args) => through(() => hub.get(...args)),
    update: (object) => through(() => hub.update(object)),
  };
  return {
    connected,
    cut: (yes: boolean) => {
      isCut = yes;
    },
  };
}

describe("leader election", () => {
  test("When the hub cannot be reached, a candidate should report that nobody may lead, until it leads", async () => {
    const { connected, cut } = aConnection();
    cut(true);
    const a = aProcess("a", connected);
    await a.logged("retry");
    await expect
      .poll(a.problem)
      .toBe("Nobody may lead: the Lease hubrelay/forwarder cannot be held. HubError: cut off.");
    cut(false);
    await a.term(0);
    expect(a.problem()).toBeUndefined();
  });

  test("When a process of another form of deployment has the Lease, a candidate should log that only one of them works", async () => {
    const a = aProcess("a");
    await a.term(0);
    const [alike, other] = [aProcess("b"), aProcess("c", hub, timing, "run")];
    await alike.logged("standing-by");
    await other.logged("failed");
    const error = expect.stringContaining("a, which has the Lease hubrelay/forwarder, runs hubrelay forward");
    expect(other.entries).toContainEqual({ event: "failed", key: "hubrelay/forwarder", error });
    expect(alike.entries).not.toContainEqual(expect.objectContaining({ event: "failed" }));
  });

  test("When the holder has not renewed the Lease for as long as it may lead, a candidate should report that nobody leads", async () => {
    const { apiVersion, kind } = kinds.Lease;
    const spec = { holderIdentity: "gone", leaseDurationSeconds: 60 };
    await hub.create({ apiVersion, kind, metadata: lease, spec });
    const a = aProcess("a", hub, expiresSoon);
    await a.logged("standing-by");
    await expect
      .poll(a.problem, { timeout: 60_000 })
      .toBe("Nobody leads: gone does not renew the Lease hubrelay/forwarder.");
  });

  test("When the leader cannot reach the hub for too long, it should stop before another leads", async () => {
    const { connected, cut } = aConnection();
    const a = aProcess("a", connected, expiresSoon);
    const first = await a.term(0);
    const b = aProcess("b", hub, expiresSoon);
    await b.logged("standing-by");
    cut(true);
    await b.term(0);
    expect(first.aborted).toBe(true);
    cut(false);
    await b.stop();
    await a.term(1);
  });

  test("When the hub confirms the Lease late and then nothing, the leader should stop before another leads", async () => {
    // A busy machine has a second to notice the late response.
    const times = { ...expiresSoon, durationMs: 8_000, renewWithinMs: 5_000 };
    let isAway = false;
    const created = Promise.withResolvers<void>();
    const slow: Hub = {
      ...hub,
      get: (...args) => (isAway ? new Promise(() => undefined) : hub.get(...args)),
      async create(object) {
        const startedMs = performance.now();
        isAway = true;
        const stored = await hub.create(object);
        created.resolve();
        await sleep(0.8 * times.renewWithinMs - (performance.now() - startedMs));
        return stored;
      },
    };
    const a = aProcess("a", slow, times);
    await created.promise;
    const b = aProcess("b", hub, times);
    const first = await a.term(0);
    await b.term(0);
    expect(first.aborted).toBe(true);
    await a.stop();
  });

  test("When the hub is unavailable for a moment, the leader should continue", async () => {
    const { connected, cut } = aConnection();
    const a = aProcess("a", connected);
    const first = await a.term(0);
    cut(true);
    await a.logged("retry");
    cut(false);
    await isRenewed();
    expect(first.aborted).toBe(false);
    expect(a.terms).toHaveLength(1);
  });

  test("When the Lease gets another holder, the leader should stop at once", async () => {
    const a = aProcess("a");
    const first = await a.term(0);
    for (;;) {
      const found = await hub.get(kinds.Lease, lease.name, lease.namespace);
      if (!found) throw new Error("the leader has no Lease");
      try {
        await hub.update({ ...found, spec: { ...Object(found.spec), holderIdentity: "b" } });
        break;
      } catch (error) {
        if (!(error instanceof HubError && error.code === "Conflict")) throw error;
      }
    }
    if (!first.aborted) await aborted(first);
    await a.logged("standing-by");
    expect(a.entries.at(-1)).toMatchObject({ event: "standing-by", holder: "b" });
  });

  test("When leading fails, it should release the Lease and fail itself", async () => {
    const options = {
      hub,
      lease,
      process: "forward",
      identity: "a",
      timing,
      now: () => new Date(),
      log: () => undefined,
    };
    const { signal } = new AbortController();
    const failing = whileLeading({ ...options, signal }, async () => {
      throw new Error("a bug");
    });
    await expect(failing).rejects.toThrow("a bug");
    expect((await hub.get(kinds.Lease, lease.name, lease.namespace))?.spec).toMatchObject({
      holderIdentity: "",
    });
  });
});
