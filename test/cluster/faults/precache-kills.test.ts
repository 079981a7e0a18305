import { afterEach, beforeEach, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { among, seededRandom } from "../../../cli/simulation/fates.ts";
import { startFleet } from "../../../cli/simulation/managed-fleet.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { type Precaching, type PrecachingOptions, startPrecaching } from "../support/clusters/precaching.ts";
import { makeFleet, plainFates, untilFleetEnded } from "../support/clusters/simulated-fleet.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";
import { type Fault, startFaultyApi } from "../support/servers/faulty-api.ts";

const clusters = 50;
const failing = ["sno07", "sno31"];
const fates = plainFates(clusters, { jobMs: 4_000, failing });

/** Each test has its own hub: the state that one leaves behind must not help the next. */
let server: TestHub;
let hub: KubernetesHub;
let cleanup: AsyncDisposableStack;
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  server = await startHub();
  cleanup.defer(() => server.stop());
  hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (opened) => opened.close());
}, 300_000);
afterEach(() => cleanup.disposeAsync());

type Result = Readonly<{ cgu: KubernetesObject; system: Precaching; jobs: readonly number[] }>;

/** Pre-caches on 50 simulated clusters of the real hub, with the processes of a deployment. */
async function run(
  options: PrecachingOptions,
  { maxConcurrency, isReady }: Readonly<{ maxConcurrency: number; isReady?: (system: Precaching) => void }>,
): Promise<Result> {
  const upgrade = await makeFleet(hub, server.api, fates, { maxConcurrency, timeoutMinutes: 240 });
  const system = cleanup.use(await startPrecaching(server, options));
  const stop = new AbortController();
  cleanup.defer(() => stop.abort());
  const agents = cleanup.adopt(kubernetesHub(server.admin.kubeConfig, { userAgent: "agents" }), (opened) =>
    opened.close(),
  );
  const fleet = startFleet(agents, among(fates), stop.signal, (error) => console.error("agents:", error));
  isReady?.(system);
  const ended = untilFleetEnded(hub, clusters, AbortSignal.timeout(300_000));
  await hub.create(upgrade);
  const cgu = await ended;
  // A removal whose hint was lost with a killed process is repeated by a tick, two minutes later.
  const kept = async () => {
    await system.resync();
    return (await hub.list(kinds.ManifestWork)).map(({ metadata }) => metadata.namespace);
  };
  await expect.poll(kept, { timeout: 240_000, interval: 5_000 }).toEqual(failing);
  return { cgu, system, jobs: fates.map(({ cluster }) => fleet.jobs.get(cluster)?.length ?? 0) };
}

/** The result of a run without failures. */
function expectTheEnd({ cgu, jobs }: Result): void {
  const wanted = fates.map(({ cluster, end }) => [
    cluster,
    end === "fails" ? "UnrecoverableError" : "Succeeded",
  ]);
  const { precaching, conditions } = Object(cgu.status);
  expect(precaching.status).toEqual(Object.fromEntries(wanted));
  expect(conditions.at(-1)).toMatchObject({
    type: "PrecachingSuceeded",
    status: "True",
    reason: "PartiallyDone",
    message: `Precaching failed for ${failing.length} clusters`,
  });
  expect(jobs).toEqual(fates.map(() => 1));
}

/** The clusters for which the API server has ever created a ManifestWork, one entry for each creation. */
async function createdFor(): Promise<readonly string[]> {
  const audited = await readAuditLog(server.auditLog);
  return audited
    .filter(
      ({ verb, resource, status }) => verb === "create" && resource === "manifestworks" && status === 201,
    )
    .map(({ namespace }) => namespace)
    .toSorted();
}

const isCreate = (method: string, path: string) => method === "POST" && path.includes("/manifestworks");

test("When workers and forwarder are killed repeatedly during the fan-out, every cluster should have had one Job and the result should be the same", async () => {
  let creates = 0;
  let system: Precaching | undefined;
  const victims: Readonly<Record<number, string>> = {
    3: "precache-cluster",
    14: "precache-status",
    22: "precache-cluster",
    30: "forward",
    37: "precache-cluster",
    44: "precache-plan",
    49: "precache-cluster",
  };
  const killed: string[] = [];
  // The request during which a process is killed is executed all the same: its response is lost.
  const api = await startFaultyApi(server, async (method, path) => {
    const victim = isCreate(method, path) ? victims[++creates] : undefined;
    if (victim && system) {
      await system.process(victim).kill();
      killed.push(victim);
    }
    return undefined;
  });
  cleanup.use(api);
  const result = await run(
    { port: api.port, visibilityTimeoutSeconds: 5 },
    { maxConcurrency: 12, isReady: (started) => (system = started) },
  );
  expectTheEnd(result);
  expect(killed).toEqual(Object.values(victims));
  expect(await createdFor()).toEqual(fates.map(({ cluster }) => cluster));
}, 600_000);

test("When the hub responds to one of seven requests with 429 or 500, every cluster should have had one Job and the result should be the same", async () => {
  const random = seededRandom(11);
  const faults: readonly (readonly [number, Fault])[] = [
    [0.08, "too many"],
    [0.12, "broken"],
    [0.15, "response lost"],
  ];
  const api = await startFaultyApi(server, (_method, path) => {
    const isOfFanOut = /manifestworks|precachingreports|clustergroupupgrades\/[^/]+\/status/.test(path);
    const drawn = random();
    return isOfFanOut ? faults.find(([share]) => drawn < share)?.[1] : undefined;
  });
  cleanup.use(api);
  const result = await run({ port: api.port }, { maxConcurrency: clusters });
  expectTheEnd(result);
  expect(api.faults()).toBeGreaterThan(20);
  expect(await createdFor()).toEqual(fates.map(({ cluster }) => cluster));
  for (const queue of ["precache-clusters", "precache-feedback"])
    expect((await result.system.messaging.deadLetters(queue).depth()).visible, queue).toBe(0);
}, 600_000);
