import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/setup/temporary-folder.ts";
import { type DirectoryHub, openDirectoryHub } from "../../adapters/hub/directory/directory-hub.ts";
import { kinds } from "../../domain/kubernetes/object.ts";
import { type Hub, HubError } from "../../ports/hub.ts";
import {
  heartbeatAnnotation,
  heartbeatOf,
  leaseCandidate,
  owedSince,
  owedSinceAnnotation,
  podIdentity,
} from "./lease-candidate.ts";

const lease = { namespace: "hubrelay", name: "forwarder" };
const clock = { now: 0, elapsed: 0 };
let hub: DirectoryHub;

beforeEach(async () => {
  Object.assign(clock, { now: Date.parse("2026-03-01T02:00:00Z"), elapsed: 1_000 });
  hub = openDirectoryHub(await temporaryFolder());
  onTestFinished(() => hub.close());
});

const candidate = (
  identity: string,
  on: Hub = hub,
  annotations: () => Readonly<Record<string, string>> = () => ({}),
) =>
  leaseCandidate({
    hub: on,
    lease,
    identity,
    durationMs: 15_000,
    now: () => new Date(clock.now),
    elapsedMs: () => clock.elapsed,
    annotations,
  });
const passMs = (ms: number): void => {
  clock.now += ms;
  clock.elapsed += ms;
};
const spec = async () => (await hub.get(kinds.Lease, lease.name, lease.namespace))?.spec;

describe("a Lease", () => {
  test("When there is none, it should be created and held, with all of Kubernetes' fields", async () => {
    expect(await candidate("a").hold()).toEqual({ held: true });
    expect(await spec()).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-03-01T02:00:00.000000Z",
      renewTime: "2026-03-01T02:00:00.000000Z",
      leaseTransitions: 0,
    });
  });

  test("When the holder records something, it should be on the Lease until another records it", async () => {
    let heartbeat: Readonly<Record<string, string>> = {};
    const a = candidate("a", hub, () => heartbeat);
    const recorded = async () => {
      const held = await hub.get(kinds.Lease, lease.name, lease.namespace);
      return held && heartbeatOf(held)?.toISOString();
    };
    await a.hold();
    expect(await recorded()).toBeUndefined();
    heartbeat = { [heartbeatAnnotation]: "2026-03-01T02:00:00.000Z" };
    await a.hold();
    expect(await recorded()).toBe("2026-03-01T02:00:00.000Z");
    await a.release();
    await candidate("b").hold();
    expect(await recorded()).toBe("2026-03-01T02:00:00.000Z");
  });

  test("When another holds it, the attempt should fail, and the holder be new once", async () => {
    await candidate("a").hold();
    const b = candidate("b");
    expect(await b.hold()).toMatchObject({ held: false, holder: "a", isNewHolder: true });
    expect(await b.hold()).toMatchObject({ held: false, holder: "a", isNewHolder: false });
  });

  test("When the holder is silent for the whole duration, another should take it, and the old one see it", async () => {
    const a = candidate("a");
    const b = candidate("b");
    await a.hold();
    await b.hold();
    passMs(14_999);
    expect(await b.hold()).toMatchObject({ held: false });
    passMs(1);
    expect(await b.hold()).toMatchObject({ held: true });
    expect(await spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    expect(await a.hold()).toMatchObject({ held: false, holder: "b", isNewHolder: true });
  });

  test("When the holder's clock is wrong by hours, it should make no difference", async () => {
    const a = candidate("a");
    await a.hold();
    clock.now += 5 * 3_600_000;
    expect(await candidate("b").hold()).toMatchObject({ held: false, holder: "a" });
  });

  test("When the holder releases it, another should take it at once", async () => {
    const a = candidate("a");
    const b = candidate("b");
    await a.hold();
    await b.hold();
    await a.release();
    expect(await b.hold()).toMatchObject({ held: true });
    expect(await spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 2 });
  });

  test("When the process of the same name was killed, its Lease should be held again at once, by the same holder", async () => {
    await candidate("a").hold();
    passMs(2_000);
    expect(await candidate("a").hold()).toMatchObject({ held: true });
    expect(await spec()).toMatchObject({ holderIdentity: "a", leaseTransitions: 0 });
  });

  test("When a candidate releases another's Lease, nothing should change", async () => {
    await candidate("a").hold();
    await candidate("b").release();
    expect(await spec()).toMatchObject({ holderIdentity: "a" });
  });

  test.for([{ exists: false }, { exists: true }])(
    "When two reach for it at the same moment (it exists: $exists), only one should hold it",
    async ({ exists }) => {
      if (exists) {
        const before = candidate("before");
        await before.hold();
        await before.release();
      }
      // Both have read before either writes.
      const both = Promise.withResolvers<void>();
      let reads = 0;
      const slow: Hub = {
        ...hub,
        async get(...args) {
          const found = await hub.get(...args);
          if (++reads === 2) both.resolve();
          await both.promise;
          return found;
        },
      };
      const results = await Promise.all([candidate("a", slow).hold(), candidate("b", slow).hold()]);
      expect(results.filter(({ held }) => held)).toHaveLength(1);
      expect(results).toContainEqual({ held: false, holder: undefined });
    },
  );
});

describe("a Lease that a Pod has", () => {
  const { apiVersion, kind } = kinds.Pod;
  /** Creates the Pod of the holder; returns the identity of its process. */
  async function holdingPod(status = {}): Promise<string> {
    const metadata = { namespace: lease.namespace, name: "run-7d" };
    const created = await hub.create({ apiVersion, kind, metadata });
    await hub.updateStatus({ ...created, status });
    const identity = podIdentity({ name: metadata.name, uid: created.metadata.uid ?? "" });
    await candidate(identity).hold();
    return identity;
  }
  const pod = { apiVersion, kind, namespace: lease.namespace, name: "run-7d" };

  test.for<readonly [string, () => unknown, Readonly<{ phase: string }>]>([
    ["is gone", () => hub.delete(pod), { phase: "Running" }],
    ["was evicted", () => undefined, { phase: "Failed" }],
    [
      "has another's name",
      async () => {
        await hub.delete(pod);
        await hub.create({ apiVersion, kind, metadata: { namespace: pod.namespace, name: pod.name } });
      },
      { phase: "Running" },
    ],
  ])("When the holder's Pod %s, another should take it at once", async ([, change, status]) => {
    await holdingPod(status);
    await change();
    expect(await candidate("b").hold()).toMatchObject({ held: true });
    expect(await spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test("When the holder's Pod is there, or may not be read, the Lease should be its own until it expires", async () => {
    const holder = await holdingPod({ phase: "Running" });
    expect(await candidate("b").hold()).toMatchObject({ held: false, holder });
    await hub.delete(pod);
    const forbidden: Hub = {
      ...hub,
      async get(of, ...names) {
        if (of === kinds.Pod) throw new HubError("Forbidden", "no such right");
        return hub.get(of, ...names);
      },
    };
    const c = candidate("c", forbidden);
    expect(await c.hold()).toMatchObject({ held: false, holder });
    passMs(15_000);
    expect(await c.hold()).toMatchObject({ held: true });
  });
});

const hourBefore = "2026-03-01T01:00:00.000Z";
test.for([
  { last: "was killed", recorded: "", since: "2026-03-01T02:00:00.000Z" },
  { last: "was killed", recorded: hourBefore, since: hourBefore },
  { last: "released the Lease", recorded: hourBefore, since: hourBefore },
  { last: "released the Lease", recorded: "", since: undefined },
])(
  "When the last holder $last and recorded '$recorded', outcomes should be owed since $since",
  async ({ last, recorded, since }) => {
    const a = candidate("a", hub, () => ({ [owedSinceAnnotation]: recorded }));
    await a.hold();
    if (last === "released the Lease") await a.release();
    const left = await hub.get(kinds.Lease, lease.name, lease.namespace);
    expect(owedSince(left)?.toISOString()).toBe(since);
  },
);
