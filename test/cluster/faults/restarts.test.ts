import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { byCodeUnit, fieldsOf, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { workLabels } from "#shared/domain/precache-model/work-identity.ts";
import { among, type Fate } from "../../../cli/simulation/fates.ts";
import { startFleet } from "../../../cli/simulation/managed-fleet.ts";
import { timeless } from "../../support/faults/end-state.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { markWith } from "../../support/kills/edits.ts";
import { essential, lastingKinds, objectsOn } from "../../support/kills/hub-content.ts";
import { type MarkerTimes, watchMarks } from "../../support/kills/marker-times.ts";
import { compileCache } from "../../support/processes/deployment.ts";
import { startHubrelay } from "../../support/processes/hubrelay-process.ts";
import type { LoggingProcess } from "../../support/processes/process-lines.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { makeFleet, plainFates } from "../support/clusters/simulated-fleet.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";
import { revisionOf } from "../support/observe/raw-get.ts";
import { startOlderApi } from "../support/servers/older-api.ts";

const fates = plainFates(3, { jobMs: 500 });
/** A cluster whose agent does nothing: its pre-caching stays at its beginning. */
const silent: Fate = {
  cluster: "sno4",
  latencyMs: 0,
  jobMs: 0,
  reports: 0,
  end: "succeeds",
  offlineMs: "never",
};
const patience = { timeout: 120_000, interval: 200 };

/** A hub with agents of managed clusters, and `hubrelay run` on it. */
type Side = Readonly<{
  server: TestHub;
  person: KubernetesHub;
  /** An upgrade of all clusters, which is not created yet. */
  upgrade: KubernetesObject;
  marks: MarkerTimes;
  /** Starts `hubrelay run`, which reaches the hub through this port, if not its own. */
  start(port?: number): Promise<LoggingProcess>;
}>;

/** Objects of other owners, beside those that hubrelay writes. */
const foreign: readonly KubernetesObject[] = [
  {
    apiVersion: kinds.MachineConfig.apiVersion,
    kind: kinds.MachineConfig.kind,
    metadata: { name: "99-worker-other", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { config: { ignition: { version: "3.2.0" } } },
  },
  {
    apiVersion: kinds.ManifestWork.apiVersion,
    kind: kinds.ManifestWork.kind,
    metadata: { namespace: "sno1", name: "other" },
    spec: { workload: { manifests: [] } },
  },
];

async function aSide(stack: AsyncDisposableStack): Promise<Side> {
  const server = stack.adopt(await startHub(), (one) => one.stop());
  const person = stack.adopt(kubernetesHub(server.admin.kubeConfig), (one) => one.close());
  await createClusterVersion(person);
  for (const object of [anImageConfig(), aPool("worker"), aDigestMirrorSet("acme", [])])
    await person.create(asNew(object));
  const fleet = [...fates, silent];
  const upgrade = await makeFleet(person, server.api, fleet, { maxConcurrency: 2, timeoutMinutes: 240 });
  for (const object of foreign) await person.create(object);
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  startFleet(person, among(fleet), stop.signal, (error) => console.error("agents:", error));
  const marks = watchMarks(person);
  stack.defer(() => marks.stop());
  return {
    server,
    person,
    upgrade,
    marks,
    async start(port) {
      const { kubeConfigFile } = await server.userAccess("far", { token: server.admin.token }, port);
      const started = startHubrelay(["run"], {
        PATH: process.env.PATH ?? "",
        ...compileCache,
        HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}`,
        HUBRELAY_HUB_ID: "urn:test:hub",
        HUBRELAY_OUTCOME_SINKS: "{}",
        HUBRELAY_WORKLOAD_IMAGE: "registry.lab:8443/hubrelay/precache-workload:1",
        HUBRELAY_LOG_LEVEL: "debug",
      });
      stack.defer(async () => {
        await started.end("SIGKILL");
      });
      // By then it has lists of everything, and has decided about what depends on most of it.
      await started.logged(({ event }) => event === "synced");
      await started.logged(({ event, key }) => event === "decided" && key === "cluster");
      return started;
    },
  };
}

const cleanup = new AsyncDisposableStack();
/** The same is done on both; only one of them has restarts and faults. */
let side: Side;
let undisturbed: Side;
beforeAll(async () => {
  [side, undisturbed] = await Promise.all([aSide(cleanup), aSide(cleanup)]);
  await undisturbed.start();
}, 240_000);
afterAll(() => cleanup.disposeAsync());

/** As with TALM, a condition whose status changes moves to the end. */
const withoutOrder = (name: string, value: unknown): unknown =>
  name === "conditions"
    ? objectsOf(value).toSorted((a, b) => byCodeUnit(String(a.type), String(b.type)))
    : value;

/** Names of the object's owners, all in its namespace. */
const ownersOf = ({ metadata }: KubernetesObject) =>
  objectsOf(fieldsOf(metadata).ownerReferences).map(({ name }) => name);

async function contentOf({ person }: Side): Promise<unknown> {
  // The server's own ConfigMaps have its certificates.
  const compared = lastingKinds.filter((kind) => kind !== kinds.ConfigMap);
  const objects = await objectsOn(person, compared);
  const names = new Set<unknown>(objects.map(({ metadata }) => metadata.name));
  // What belongs to an object that is gone is the garbage collector's, which does not run here.
  const kept = objects.filter((object) => ownersOf(object).every((owner) => names.has(owner)));
  return timeless(JSON.parse(JSON.stringify(essential(kept), withoutOrder)));
}

/** Everything of other owners, with its versions. */
async function othersOf({ person }: Side): Promise<unknown> {
  return Promise.all(
    foreign.map(async ({ metadata, ...object }) => {
      const kind = Object.values(kinds).find((one) => one.kind === object.kind);
      const found = kind && (await person.get(kind, metadata.name, metadata.namespace));
      return `${displayName(referenceTo({ ...object, metadata }))} ${found?.metadata.uid} ${found?.metadata.resourceVersion}`;
    }),
  );
}

/** What people do, and when what follows from it is there. */
type Act = Readonly<{
  name: string;
  perform(on: Side, number: number): Promise<unknown>;
  done(on: Side, number: number): Promise<unknown>;
}>;

const upgradeOf = (number: number) => ({ namespace: "default", name: `upgrade-${number}` });
const ownWorks = async ({ person }: Side) =>
  (await person.list(kinds.ManifestWork)).filter(({ metadata }) => metadata.labels?.[workLabels.cgu]);

/** Creates the upgrade of some clusters. */
const start = ({ person, upgrade }: Side, number: number, clusters: readonly Fate[]) =>
  person.create({
    ...upgrade,
    metadata: upgradeOf(number),
    spec: { ...Object(upgrade.spec), clusters: clusters.map(({ cluster }) => cluster) },
  });
/** The states of an upgrade's clusters, and the own ManifestWorks of all. */
const progressOf = async (on: Side, number: number) => {
  const { name, namespace } = upgradeOf(number);
  const cgu = await on.person.get(kinds.ClusterGroupUpgrade, name, namespace);
  const works = (await ownWorks(on)).map(({ metadata }) => metadata.namespace);
  return { works, states: fieldsOf(fieldsOf(cgu?.status).precaching).status };
};
/** Removes the upgrade of the act before. */
const removal: Pick<Act, "perform" | "done"> = {
  perform: ({ person }, number) => person.delete({ ...kinds.ClusterGroupUpgrade, ...upgradeOf(number - 1) }),
  async done(on, number) {
    const { name, namespace } = upgradeOf(number - 1);
    const found = () => on.person.get(kinds.ClusterGroupUpgrade, name, namespace);
    await expect.poll(found, patience).toBeUndefined();
    await expect.poll(() => ownWorks(on), patience).toEqual([]);
  },
};

const acts: readonly Act[] = [
  {
    name: "other mirrors",
    async perform({ person, marks }, number) {
      marks.expect(number);
      await markWith(person, number);
    },
    done: ({ marks }, number) => marks.seen(number),
  },
  {
    name: "an upgrade",
    perform: (on, number) => start(on, number, fates),
    async done(on, number) {
      const states = Object.fromEntries(fates.map(({ cluster }) => [cluster, "Succeeded"]));
      await expect.poll(() => progressOf(on, number), patience).toEqual({ works: [], states });
    },
  },
  { name: "that upgrade is removed", ...removal },
  {
    name: "an upgrade of a cluster that does not respond",
    perform: (on, number) => start(on, number, [silent]),
    async done(on, number) {
      const states = { [silent.cluster]: "Starting" };
      const works = [silent.cluster];
      await expect.poll(() => progressOf(on, number), patience).toEqual({ works, states });
    },
  },
  { name: "that upgrade is removed while it runs", ...removal },
];

type Signal = "SIGTERM" | "SIGKILL";
const cases = drawn(
  "restarts behind held watches",
  { ci: 5, soak: 205 },
  fc.record({
    signals: fc.tuple(
      fc.constantFrom<Signal>("SIGTERM", "SIGKILL"),
      fc.constantFrom<Signal>("SIGTERM", "SIGKILL"),
    ),
    /** Which state of the hub is served. */
    older: fc.nat(),
  }),
);

test("When a process is restarted while its watches are held, or it reads an older state, the hub should become as without that", async () => {
  await using api = await startOlderApi(side.server);
  let running = await side.start(api.port);
  /** No process reads both before and after the fault: within one reconcile no API server goes back in time. */
  const restart = async (signal: Signal, begin?: () => void): Promise<void> => {
    const ended = await running.end(signal);
    expect(ended).toBe(signal === "SIGTERM" ? 0 : signal);
    begin?.();
    running = await side.start(api.port);
  };
  const others = await othersOf(side);
  /** After each act, before anything followed from it. The server keeps them for some minutes. */
  const revisions = [await revisionOf(side.server)];
  for (const [index, { signals, older }] of cases.entries()) {
    const act = acts[index % acts.length];
    const isHeld = index % 2 === 0;
    const latest = revisions.slice(-3);
    const revision = latest[older % latest.length];
    if (!act || revision === undefined) throw new Error("there is nothing to choose from");
    const what = `${index}: ${act.name}, ${isHeld ? "held watches" : `revision ${revision}`}, ${signals}`;
    countRun("restarts behind held watches");
    await restart(signals[0], () => (isHeld ? api.holdWatches() : api.rewind(revision)));
    await Promise.all([side, undisturbed].map((one) => act.perform(one, index)));
    revisions.push(await revisionOf(side.server));
    await restart(signals[1]);
    api.catchUp();
    await Promise.all([side, undisturbed].map((one) => act.done(one, index)));
    const isSame = async () => isDeepStrictEqual(await contentOf(side), await contentOf(undisturbed));
    await expect
      .poll(isSame, patience)
      .toBe(true)
      .catch(() => undefined);
    expect(await contentOf(side), what).toEqual(await contentOf(undisturbed));
  }
  expect(api.olderReads()).toBeGreaterThan(10 * Math.floor(cases.length / 2));
  expect(side.marks.late).toEqual([]);
  expect(await othersOf(side)).toEqual(others);
  const starts = (await readAuditLog(side.server.auditLog)).filter(
    ({ verb, resource, name, status }) =>
      verb === "create" && resource === "manifestworks" && status === 201 && name !== "other",
  );
  const rounds = cases.length / acts.length;
  const started = starts.map(({ namespace, name }) => `${namespace}/${name}`);
  expect(new Set(started).size).toBe(started.length);
  expect(started).toHaveLength(rounds * (fates.length + 1));
  await running.end("SIGKILL");
}, 3_600_000);

test("When the server does not compare versions, a process that reads an older state should leave an older result", async () => {
  await using api = await startOlderApi(side.server, { isUnguarded: true });
  const running = await side.start(api.port);
  const [mirrors] = acts;
  let older = 0;
  const first = cases.length;
  for (const number of [first, first + 1, first + 2]) {
    await mirrors?.perform(side, number);
    if (number === first + 1) older = await revisionOf(side.server);
    await mirrors?.done(side, number);
  }
  await running.end("SIGKILL");
  api.rewind(older);
  await side.start(api.port);
  await expect.poll(() => side.marks.late, patience).toContain(first + 1);
});
