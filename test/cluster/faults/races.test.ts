import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import { countRun, seedOfRun, times } from "../../support/setup/soak.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { hubAccounts } from "../support/clusters/process-accounts.ts";
import { createClusterVersion } from "../support/manifests/cluster-version.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";

const rounds = times({ ci: 50, soak: 1_000 });
const rule = (mirror: string) => [{ source: "quay.io/acme", mirrors: [mirror] }];

let server: TestHub;
/** The hub for edits and for the final comparison. */
let person: KubernetesHub;
let workers: readonly KubernetesHub[];
beforeAll(async () => {
  server = await startHub();
  const account = await (await hubAccounts(server))("hubrelay-mirror-config");
  person = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
  workers = ["worker-1", "worker-2"].map((userAgent) => kubernetesHub(account.kubeConfig, { userAgent }));
  await createClusterVersion(person);
  for (const object of [
    anImageConfig(),
    aPool("master"),
    aPool("worker"),
    aDigestMirrorSet("acme", rule("m.example.com")),
  ])
    await person.create(asNew(object));
});
afterAll(async () => {
  for (const hub of [person, ...workers]) hub.close();
  await server.stop();
});

/**
 * The request at which a reconcile pauses, for longer than another one takes as a whole, and then continues with what
 * it had read.
 */
type Stall = Readonly<{ request: number; ms: number }>;

function stalled(hub: Hub, { request, ms }: Stall): Hub {
  let requests = 0;
  const after =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (requests++ === request) await sleep(ms);
      return work(...args);
    };
  return {
    ...hub,
    get: after(hub.get),
    list: after(hub.list),
    create: after(hub.create),
    update: after(hub.update),
    delete: after(hub.delete),
  };
}

/** Reconciles as the queue does: a message whose reconcile lost every race is delivered again. */
async function deliver(hub: Hub, log: (entry: LogEntry) => void): Promise<void> {
  for (;;) {
    try {
      await reconcile(mirrorConfig, "cluster", {
        ...quietPorts(hub),
        log,
      });
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Conflict")) throw error;
    }
  }
}

async function edit(mirror: string): Promise<void> {
  const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
  if (!present) throw new Error("the mirror set of this test is gone");
  await person.update({ ...present, spec: { imageDigestMirrors: rule(mirror) } });
}

/** A reconcile makes some twenty requests; the writes come last. */
const race = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 40 }),
    worker: fc.nat(1),
    stall: fc.record({ request: fc.integer({ min: 0, max: 24 }), ms: fc.integer({ min: 0, max: 120 }) }),
  }),
  { minLength: 2, maxLength: 4 },
);

test(`When two workers race with edits in ${rounds} rounds, neither should leave an outdated result behind`, async () => {
  let lost = 0;
  let round = 0;
  const log = (entry: LogEntry) => {
    if (entry.event === "conflict") lost++;
  };
  await fc.assert(
    fc.asyncProperty(race, async (edits) => {
      round++;
      countRun("a race of two workers");
      const deliveries: Promise<void>[] = [];
      for (const [index, { afterMs, worker, stall }] of edits.entries()) {
        await sleep(afterMs);
        await edit(`r${round}-${index}.example.com`);
        deliveries.push(deliver(stalled(workers[worker] ?? person, stall), log));
      }
      await Promise.all(deliveries);

      const plan = await mirrorConfig.plan({
        hub: person,
        key: "cluster",
        now: new Date(),
        external: noExternalPorts,
      });
      expect(plan.decisions.map(({ verdict }) => verdict)).toEqual(["unchanged", "unchanged"]);
      for (const pool of ["master", "worker"]) {
        const machineConfig = await person.get(kinds.MachineConfig, `99-${pool}-generated-registries`);
        const files = machineConfig ? readMachineConfigFiles(machineConfig) : [];
        const text = files.map(({ contents }) => contents).join("\n");
        expect(text).toContain(`r${round}-${edits.length - 1}.example.com`);
      }
    }),
    { numRuns: rounds, endOnFailure: true },
  );

  const refusals = (await readAuditLog(server.auditLog)).filter(
    ({ status, resource, userAgent }) =>
      status === 409 && resource === "machineconfigs" && userAgent.startsWith("worker"),
  );
  console.log(`races: ${rounds} rounds, FC_SEED=${seedOfRun()}, ${refusals.length} writes refused with 409`);
  expect(refusals.length).toBeGreaterThan(rounds / 10);
  expect(lost).toBeGreaterThanOrEqual(refusals.length);
}, 3_600_000);
