import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { report } from "../../cli/simulation/managed-fleet.ts";
import { ended, type JobReport, running } from "../../cli/simulation/reported-status.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { lastingKinds, objectsOn } from "../support/kills/hub-content.ts";
import { countRun, drawn } from "../support/setup/soak.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { makeFleet, plainFates } from "./support/clusters/simulated-fleet.ts";
import { tick } from "./support/clusters/ticks.ts";
import { createClusterVersion } from "./support/manifests/cluster-version.ts";
import { readAuditLog } from "./support/observe/audit-log.ts";
import { revisionOf } from "./support/observe/revision.ts";
import { type OlderApi, startOlderApi } from "./support/servers/older-api.ts";

let server: TestHub;
let person: KubernetesHub;
beforeAll(async () => {
  server = await startHub();
  person = kubernetesHub(server.admin.kubeConfig);
});
afterAll(async () => {
  person.close();
  await server.stop();
});

/** The version of every lasting object. */
async function versions(): Promise<Readonly<Record<string, string>>> {
  const objects = await objectsOn(person, lastingKinds);
  return Object.fromEntries(
    objects.map((object) => [
      `${displayName(referenceTo(object))} ${object.metadata.uid}`,
      object.metadata.resourceVersion ?? "",
    ]),
  );
}

async function setMirrors(mirror: string): Promise<void> {
  const wanted = aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [mirror] }]);
  const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
  await (present ? person.update({ ...present, spec: wanted.spec }) : person.create(asNew(wanted)));
}

async function reportAll(jobReport: JobReport): Promise<void> {
  for (const work of await person.list(kinds.ManifestWork)) {
    const run = runOf(work);
    if (run) await report(person, work, run, jobReport);
  }
}

async function remove(object: KubernetesObject | undefined): Promise<void> {
  if (object) await person.delete(referenceTo(object));
}

const fleet = plainFates(2, { jobMs: 0 });
let upgrade: KubernetesObject;
/** What people and agents do on the hub, one after the other. */
const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  "pools, a release and mirrors": async () => {
    await createClusterVersion(person);
    for (const object of [anImageConfig(), aPool("worker")]) await person.create(asNew(object));
    await setMirrors("m1.example.com");
  },
  "other mirrors": () => setMirrors("m2.example.com"),
  "a window and clusters": async () => {
    const window = windowObject({ schedule: "* * * * *", duration: "2h" });
    await person.create({ ...window, metadata: { namespace: "default", name: "always" } });
    upgrade = await makeFleet(person, server.api, fleet, { maxConcurrency: 2, timeoutMinutes: 240 });
  },
  "an upgrade": () => person.create(upgrade),
  "Jobs that run": () => reportAll(running(0.5)),
  "Jobs that end": () => reportAll(ended("succeeds")),
  "mirrors without a set": async () => remove(await person.get(kinds.ImageDigestMirrorSet, "acme")),
};

/** Processes that have just started reconcile everything, with reads of this revision. */
async function tickAt(api: OlderApi, older: number, now: Date): Promise<void> {
  const { kubeConfig } = await server.userAccess("lagging", { token: server.admin.token }, api.port);
  const lagging = kubernetesHub(kubeConfig);
  api.rewind(older);
  await tick(lagging, now);
  api.catchUp();
  lagging.close();
}

test("When restarted processes read an older hub, each of their writes should be refused or equal what is there", async () => {
  await using api = await startOlderApi(server);
  const names = Object.keys(acts);
  const ages = drawn(
    "stale reads",
    { ci: 4 * names.length, soak: 200 },
    fc.record({ act: fc.constantFrom(...names), permille: fc.nat(1_000) }),
  );
  const first = await revisionOf(server);
  for (const [act, perform] of Object.entries(acts)) {
    await perform();
    const now = new Date();
    for (let ticks = 0; ticks < 2; ticks++) await tick(person, now);
    const [settled, latest] = [await versions(), await revisionOf(server)];
    for (const { permille } of ages.filter((age) => age.act === act)) {
      const older = first + Math.floor((permille / 1_000) * (latest - first));
      countRun("processes that read an older hub");
      await tickAt(api, older, now);
      expect(await versions(), `${act}, read at ${older} of ${latest}`).toEqual(settled);
    }
  }
  expect(api.olderReads()).toBeGreaterThan(20 * ages.length);
  const refused = (await readAuditLog(server.auditLog)).filter(({ status }) => status === 409);
  expect(refused.length).toBeGreaterThan(10);
});

test("When a server does not compare versions, the same should leave the older result behind", async () => {
  await using api = await startOlderApi(server, { isUnguarded: true });
  await setMirrors("m3.example.com");
  const older = await revisionOf(server);
  for (const mirror of ["m3.example.com", "m4.example.com"]) {
    await setMirrors(mirror);
    await tick(person, new Date());
  }
  const settled = await versions();
  await tickAt(api, older, new Date());
  expect(await versions()).not.toEqual(settled);
});
