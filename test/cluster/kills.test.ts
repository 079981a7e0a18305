import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { contentOf } from "../support/kills/hub-content.ts";
import { figuresOf, type HubUnderTest, killRun } from "../support/kills/kill-run.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { environmentOf, queueNames } from "../support/processes/deployment.ts";
import { startHubrelay } from "../support/processes/hubrelay-process.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { processAccounts } from "./support/clusters/process-accounts.ts";
import { createClusterVersion } from "./support/manifests/cluster-version.ts";
import { times } from "./support/observe/soak.ts";

const kills = times({ ci: 20, soak: 200 });
/** The interval at which lost events are repeated: nothing may wait longer, and nothing repeats them here. */
const resyncMs = 5 * 60_000;

let server: TestHub;
let person: KubernetesHub;
let settings: HubUnderTest["settings"];
beforeAll(async () => {
  server = await startHub();
  settings = await processAccounts(server);
  person = kubernetesHub(server.admin.kubeConfig, { id: "urn:test:hub" });
  await createClusterVersion(person);
  for (const object of [anImageConfig(), aPool("master"), aPool("worker")])
    await person.create(asNew(object));
});
afterAll(async () => {
  person.close();
  await server.stop();
});

/** The API server: killed without its etcd and restarted at once. */
function apiServer(): HubUnderTest["victims"][number] {
  let started = Promise.resolve();
  return {
    name: "API server",
    running: () => started,
    async kill() {
      await server.kill();
      started = server.restart();
    },
  };
}

/** Removes everything that the function has created, and creates it again from what people wrote. */
async function cleanRun(): Promise<unknown> {
  const made = [...(await person.list(kinds.MachineConfig)), ...(await person.list(kinds.Event))];
  for (const object of made) await person.delete(referenceTo(object));
  await reconcile(mirrorConfig, "cluster", quietPorts(person));
  return contentOf(person);
}

test(`When processes and API server are killed ${kills} times at random, the hub should end with the content of a clean run`, async () => {
  const run = await killRun({ hub: person, settings, victims: [apiServer()], cleanRun }, { kills, seed: 1 });
  console.log(figuresOf(run));
  expect(run.result).toEqual(run.clean);
  expect(Object.keys(run.kills).sort()).toEqual([
    "API server",
    "forwarder",
    "queue server",
    "worker a",
    "worker b",
  ]);
  expect(run.waits).toHaveLength(run.edits);
  expect(run.waits.at(-1)).toBeLessThan(resyncMs);
}, 3_600_000);

test("When the forwarder that holds the Lease is killed, the other should take over without losing an event", async () => {
  const messaging = await startEmbeddedMessaging({ queues: queueNames, topic: "outcomes" });
  onTestFinished(() => messaging.stop());
  const environment = environmentOf(messaging.endpoint, "", messaging.topicArn);
  const start = () => {
    const lease = ["--lease", "hubrelay/hubrelay-forwarder"];
    const started = startHubrelay(["forward", ...lease], { ...environment, HUBRELAY_HUB: settings.forward });
    onTestFinished(async () => {
      await started.end("SIGKILL");
    });
    return started;
  };
  const first = start();
  await first.logged(({ event }) => event === "synced");
  const second = start();
  const { holder } = await second.logged(({ event }) => event === "standing-by");
  const lease = await person.get(kinds.Lease, "hubrelay-forwarder", "hubrelay");
  expect(holder).toBe(Object(lease?.spec).holderIdentity);

  await first.end("SIGKILL");
  const missed = await person.create(
    asNew(aDigestMirrorSet("missed", [{ source: "quay.io/missed", mirrors: ["m.example.com"] }])),
  );
  await second.logged(({ event }) => event === "synced");
  const bodies: string[] = [];
  for (;;) {
    const messages = await messaging.queue("mirror-configs").receive({ waitSeconds: 1 });
    if (messages.length === 0) break;
    bodies.push(...messages.map(({ body }) => body));
  }
  expect(bodies.filter((body) => body.includes(missed.metadata.uid ?? "no uid"))).toHaveLength(1);

  expect(await second.end("SIGTERM")).toBe(0);
  const released = await person.get(kinds.Lease, "hubrelay-forwarder", "hubrelay");
  expect(released?.spec).toMatchObject({ holderIdentity: "" });
});
