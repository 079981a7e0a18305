import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { succeeded } from "../../../infra/run-program.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { subscribeQueue } from "../../support/messages/subscribe-queue.ts";
import { queueNames } from "../../support/processes/deployment.ts";
import type { LoggingProcess } from "../../support/processes/process-lines.ts";
import { startCluster, type TestCluster } from "../support/clusters/cluster.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { addOnCrds, hubCrds, installCrds } from "../support/manifests/crds.ts";
import { renderKustomization } from "../support/manifests/kustomize.ts";
import { startPod, topicName } from "../support/manifests/pod-templates.ts";
import { readAuditLog, refusedRequests } from "../support/observe/audit-log.ts";
import { kubectl } from "../support/programs/programs.ts";
import {
  type Checkout,
  previousVersion,
  sendAsLaterVersion,
  thisVersion,
} from "../support/versions/previous-version.ts";

const overlay = "infra/kubernetes/overlays/sqs-endpoint";
const [mirrorConfigs, maintenanceWindows] = ["mirror-configs", "maintenance-windows"];
const workers = ["hubrelay-mirror-config", "hubrelay-maintenance-window"];

/** A change that a person makes on the hub: a mirror set and a window, each with an outcome to come. */
type Change = Readonly<{ what: string; mirrors: string; window: string }>;

describe("an upgrade of the overlay sqs-endpoint and the way back, as docs/versions.md describes them", () => {
  const cleanup = new AsyncDisposableStack();
  let server: TestCluster;
  let person: KubernetesHub;
  let messaging: EmbeddedMessaging;
  let before: Checkout;
  /** What the applied overlay consists of. */
  let installed: readonly KubernetesObject[] = [];
  const outcomes: string[] = [];

  beforeAll(async () => {
    const crds = (await hubCrds()).filter(({ group }) => group !== "hubrelay.dev");
    server = await startCluster({ crds });
    cleanup.defer(() => server.stop());
    await installCrds(server.api, await addOnCrds());
    const folder = join(server.folder, "versions");
    await mkdir(folder);
    before = await previousVersion(folder);
    console.log(`upgrade from ${before.name}`);
    messaging = await startEmbeddedMessaging({ queues: [...queueNames, "outcomes"], topic: topicName });
    await subscribeQueue(messaging, "outcomes");
    cleanup.defer(() => messaging.stop());
    person = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
    cleanup.defer(() => person.close());
    await createClusterVersion(person);
    for (const object of [anImageConfig(), aPool("worker")]) await person.create(asNew(object));
  });
  afterAll(() => cleanup.disposeAsync());

  /** Applies the overlay of a version with kubectl; nothing of it may be left to apply then. */
  async function install({ root }: Checkout): Promise<void> {
    const program = await kubectl(console.log);
    const env = { ...process.env, KUBECONFIG: server.admin.kubeConfigFile };
    await succeeded(program, ["apply", "-k", overlay], { cwd: root, env });
    await succeeded(program, ["diff", "-k", overlay], { cwd: root, env });
    installed = await renderKustomization(overlay, root);
  }

  /** Starts what a workload's pod runs, with the settings of the applied overlay and the code of a version. */
  const start = ({ command }: Checkout, workload: string) =>
    startPod(workload, { objects: installed, server, endpoint: messaging.endpoint, command });

  async function make({ mirrors, window }: Change): Promise<void> {
    const rule = { source: `quay.io/${mirrors}`, mirrors: [`${mirrors}.example.com/all`] };
    await person.create(asNew(aDigestMirrorSet(mirrors, [rule])));
    // It is open whenever the test runs.
    const always = windowObject({ schedule: "* * * * *", duration: "2h" });
    await person.create({ ...always, metadata: { namespace: "default", name: window } });
  }

  const change = (what: string): Change => ({ what, mirrors: `mirrors-${what}`, window: `window-${what}` });

  /** Resolves once a subscriber has the outcome of a change, and its window is open. */
  async function reported({ mirrors, window }: Change): Promise<void> {
    const isRendered = (outcome: string) =>
      outcome.includes("mirror-config.rendered") && outcome.includes(`${mirrors}.example.com`);
    const isOpen = async () =>
      fieldsOf((await person.get(kinds.MaintenanceWindow, window, "default"))?.status).open === true;
    const queue = messaging.queue("outcomes");
    while (!outcomes.some(isRendered) || !(await isOpen())) {
      const received = await queue.receive({ waitSeconds: 20 });
      outcomes.push(...received.map(({ body }) => body));
      if (received.length > 0) await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
    }
  }

  /** Resolves once each function has a message to receive. */
  async function waitingFor(...names: readonly string[]): Promise<void> {
    for (const name of names)
      await expect
        .poll(async () => (await messaging.queue(name).depth()).visible, { timeout: 300_000 })
        .toBeGreaterThan(0);
  }

  async function startAll(
    version: Checkout,
    workloads: readonly string[],
  ): Promise<readonly LoggingProcess[]> {
    const started: LoggingProcess[] = [];
    for (const workload of workloads) started.push(await start(version, workload));
    return started;
  }

  test("When the version before is upgraded while messages wait, every change should have its outcome", {
    timeout: 900_000,
  }, async () => {
    await install(before);
    const oldForwarder = await start(before, "hubrelay-forwarder");
    const oldWorkers = await startAll(before, workers);
    const [first, second, third] = [change("first"), change("second"), change("third")];
    await make(first);
    await reported(first);

    for (const worker of oldWorkers) expect(await worker.end("SIGTERM")).toBe(0);
    await make(second);
    await waitingFor(mirrorConfigs, maintenanceWindows);
    await install(thisVersion);
    const newWorkers = await startAll(thisVersion, workers);
    await reported(second);

    const newForwarder = await start(thisVersion, "hubrelay-forwarder");
    await newForwarder.logged(({ event }) => event === "standing-by");
    expect(await oldForwarder.end("SIGTERM")).toBe(0);
    await make(third);
    await newForwarder.logged(({ event }) => event === "leading");
    await reported(third);
    for (const process of [newForwarder, ...newWorkers]) expect(await process.end("SIGTERM")).toBe(0);
  });

  test("When it is rolled back while messages of the newer version wait, every change should have its outcome", {
    timeout: 900_000,
  }, async () => {
    // The server may still have polls of the workers that ended, which would take a message and hide it for minutes. They are
    // older than these, so they end before them; nothing sends meanwhile.
    for (const taken of await Promise.all(
      [mirrorConfigs, maintenanceWindows].map((name) => messaging.queue(name).receive({ waitSeconds: 20 })),
    ))
      expect(taken).toEqual([]);
    const newForwarder = await start(thisVersion, "hubrelay-forwarder");
    const [fourth, fifth] = [change("fourth"), change("fifth")];
    await make(fourth);
    await waitingFor(mirrorConfigs, maintenanceWindows);
    expect(await newForwarder.end("SIGTERM")).toBe(0);
    for (const name of [mirrorConfigs, maintenanceWindows])
      expect(await sendAsLaterVersion(messaging.queue(name))).toBeGreaterThan(0);

    // Definitions, roles and settings stay.
    await startAll(before, workers);
    await reported(fourth);
    const oldForwarder = await start(before, "hubrelay-forwarder");
    await oldForwarder.logged(({ event }) => event === "leading");
    await make(fifth);
    await reported(fifth);
    const older = await person.get(kinds.MaintenanceWindow, "window-first", "default");
    expect(older?.spec).toMatchObject({ schedule: "* * * * *" });
  });

  test("When both were done, no message should be a dead letter, and no request refused", async () => {
    for (const name of queueNames)
      expect(await messaging.deadLetters(name).receive({ waitSeconds: 0 }), name).toEqual([]);
    const requests = (await readAuditLog(server.auditLog)).filter(({ user }) =>
      user.startsWith("system:serviceaccount:hubrelay:"),
    );
    expect(requests.length).toBeGreaterThan(0);
    expect(refusedRequests(requests)).toBe("");
  });
});
