import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { aDeployment, queueNames, queueUrlsAt } from "../support/processes/deployment.ts";
import { startHubrelay } from "../support/processes/hubrelay-process.ts";
import type { LoggingProcess } from "../support/processes/process-lines.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";
import { kubeConfigFor, respondJson, respondStatus, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, startInProcess } from "./cli-in-process.ts";

const acme = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }]);
const objects = [anImageConfig(), aClusterVersion(), aPool("worker"), acme("first")];
const nameOfGenerated = "99-worker-generated-registries";
const any = ["--port", "0"];
/** Resolves once the generated MachineConfig contains this text. */
async function configured(hub: Hub, text: string): Promise<void> {
  const stop = new AbortController();
  for await (const change of hub.watch(kinds.MachineConfig, stop.signal)) {
    if (change.verb === "synced" || change.object.metadata.name !== nameOfGenerated) continue;
    const contents = readMachineConfigFiles(change.object).map((file) => file.contents);
    if (contents.join("").includes(text)) stop.abort();
  }
}

async function edit(hub: Hub, changed: KubernetesObject): Promise<void> {
  const present = await hub.get(kinds.ImageDigestMirrorSet, changed.metadata.name);
  if (!present) throw new Error(`${changed.metadata.name} is not there`);
  await hub.update({ ...present, spec: changed.spec });
}

const isEvent =
  (event: string) =>
  (line: Readonly<Record<string, unknown>>): boolean =>
    line.event === event;

async function ask(running: LoggingProcess, path: string) {
  const { address } = await running.logged(isEvent("started"));
  const response = await fetch(`http://${address}${path}`);
  return { status: response.status, text: await response.text() };
}

/** Polls until the process is ready; returns its responses until then. */
async function ready(running: LoggingProcess): Promise<readonly string[]> {
  const reasons = new Set<string>();
  const status = async () => {
    const response = await ask(running, "/readyz");
    if (response.status !== 200) reasons.add(response.text);
    return response.status;
  };
  await expect.poll(status).toBe(200);
  return [...reasons];
}

describe("hubrelay forward and hubrelay work", () => {
  test("When an object changes, the one should forward it and the other write the result, both with metrics", async () => {
    const { hub, start } = await aDeployment(objects);
    const worker = start(["work", ...any]);
    const forwarder = start(["forward", ...any]);
    await configured(hub, "first.example.com");
    await edit(hub, acme("second"));
    await configured(hub, "second.example.com");

    const metrics = async () => (await ask(forwarder, "/metrics")).text;
    // What the worker has written is forwarded as well.
    await expect.poll(metrics).toMatch(/^hubrelay_forward_waiting_events\{queue="mirror-configs"\} 0$/m);
    const forwarded = await metrics();
    const now = Date.now() / 1000;
    const [, heartbeat] = /^hubrelay_forward_heartbeat_timestamp_seconds (\S+)$/m.exec(forwarded) ?? [];
    expect(Number(heartbeat)).toBeGreaterThan(now - 60);
    expect(forwarded).toMatch(/^hubrelay_queue_dead_letters\{queue="mirror-configs"\} 0$/m);
    expect(forwarded).toMatch(/^process_resident_memory_bytes [1-9]/m);
    const { correlationId: id } = await worker.logged(
      (line) => line.event === "written" && line.verb === "update",
    );
    // One id leads from the forwarder's log to the outcome.
    expect(
      await worker.logged((line) => line.event === "published" && line.correlationId === id),
    ).toBeDefined();
    await forwarder.logged((line) => line.event === "noticed" && line.correlationId === id);
    // Also those to which only other functions send: their worker may have no pod.
    const reported = () =>
      new Set(forwarder.lines.filter(isEvent("queue-depth")).map((line) => String(line.queue)));
    await expect.poll(() => [...reported()].sort()).toEqual(queueNames.toSorted());
    const worked = (await ask(worker, "/metrics")).text;
    expect(worked).toMatch(/^hubrelay_reconcile_duration_seconds_count\{function="mirror-config"\} [1-9]/m);
    for (const running of [forwarder, worker]) {
      await ready(running);
      expect((await ask(running, "/healthz")).status).toBe(200);
    }
    expect(
      worker.lines.every(
        (line) => line.function === "work" || controllers.some(({ name }) => name === line.function),
      ),
    ).toBe(true);
  });

  test.for([
    { command: "forward", settled: "synced" },
    { command: "work", settled: "reconciled" },
  ])(
    "When $command is terminated, it should finish its current work, log that and exit with 0",
    async ({ command, settled }) => {
      const { environment } = await aDeployment(objects);
      // What work finds in the queues is what a resync sends.
      await hubrelay(["resync"], { variables: environment });
      const running = startInProcess([command, ...any], environment);
      await running.logged(isEvent(settled));
      expect(await running.end("SIGTERM")).toBe(0);
      const stopping = { event: "stopping", reason: "SIGTERM" };
      expect(running.lines).toContainEqual(expect.objectContaining(stopping));
      expect(running.lines.at(-1)).toMatchObject({ event: "stopped", process: command });
      expect(running.errors()).toBe("");
    },
  );

  test.for(["forward --lease hubrelay/forwarder", "work"])(
    "When %s waits for a queue server that does not respond, SIGTERM should end it before its pod is killed",
    async (command) => {
      const { start } = await aDeployment(objects);
      const silent = createServer();
      const asked = once(silent, "connection");
      const endpoint = `http://127.0.0.1:${await listenOnFreePort(silent)}`;
      onTestFinished(() => void silent.close());
      const silentQueues = { AWS_ENDPOINT_URL: endpoint, HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint) };
      const running = start([...command.split(" "), ...any], silentQueues);
      await asked;
      // Less than one request takes until it times out.
      const late = sleep(20_000, "late", { ref: false });
      expect(await Promise.race([running.end("SIGTERM"), late])).toBe(0);
      expect(running.lines.at(-1)).toMatchObject({ event: "stopped", process: command.split(" ")[0] });
    },
  );

  test("When the queue server is unavailable, both should report that they are not ready, and start when it is available", async () => {
    const { directory, environment } = await aDeployment(objects);
    // A server that comes back has its queues from the first moment on.
    const kept = { dataDir: `${directory}-queues`, queues: queueNames, topic: "outcomes" };
    onTestFinished(() => rm(kept.dataDir, { recursive: true, force: true }));
    const elsewhere = await startEmbeddedMessaging(kept);
    const { endpoint, topicArn } = elsewhere;
    await elsewhere.stop();
    const away = {
      ...environment,
      AWS_ENDPOINT_URL: endpoint,
      HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint),
      HUBRELAY_OUTCOME_TOPIC_ARN: topicArn,
    };
    const forwarder = startHubrelay(["forward", ...any], away);
    const worker = startHubrelay(["work", ...any], away);
    onTestFinished(async () => {
      await Promise.all([forwarder.end("SIGKILL"), worker.end("SIGKILL")]);
    });
    await forwarder.logged(isEvent("not-forwarded"));
    await worker.logged(isEvent("retry"));
    expect(await ask(forwarder, "/readyz")).toEqual({
      status: 503,
      text: "The hub's objects have not been sent yet.\n",
    });
    expect(await ask(worker, "/readyz")).toEqual({
      status: 503,
      text: "Not every queue was reached yet.\n",
    });
    const back = await startEmbeddedMessaging({ ...kept, port: Number(new URL(endpoint).port) });
    onTestFinished(() => back.stop());
    await Promise.all([ready(forwarder), ready(worker)]);
    await worker.logged(isEvent("reconciled"));
  });

  test("When the hub responds with 403, work should be not ready, and retry within seconds until it is accepted", async () => {
    let isAccepted = false;
    const api = await scriptedApi(({ method }, response) => {
      if (method === "POST") return respondJson(response, 201, { status: { allowed: true } });
      return isAccepted
        ? respondJson(response, 200, { metadata: { resourceVersion: "1" }, items: [] })
        : respondStatus(response, 403, "Forbidden");
    });
    const { messaging, environment } = await aDeployment(objects);
    const kubeconfig = join(await temporaryFolder(), "kubeconfig");
    await writeFile(kubeconfig, kubeConfigFor(api.url, { token: "t" }).exportConfig());
    const worker = startHubrelay(["work", "--function", "mirror-config", ...any], {
      ...environment,
      HUBRELAY_HUB: `kubeconfig:${kubeconfig}`,
    });
    onTestFinished(async () => {
      await worker.end("SIGKILL");
    });
    await ready(worker);
    const event = hubEvent("update", referenceTo(acme("first")), { source: "urn:test:hub" });
    await messaging.queue("mirror-configs").send([{ body: JSON.stringify(event) }]);
    expect(await worker.logged(isEvent("retry"))).toMatchObject({ delaySeconds: 2 });
    await expect
      .poll(() => ask(worker, "/readyz"))
      .toMatchObject({
        status: 503,
        text: expect.stringMatching(/^The hub refuses mirror-config: HubError: list /),
      });
    isAccepted = true;
    await ready(worker);
  });

  test("When one of several queues cannot be used, work should end, so that whatever keeps it running notices", async () => {
    const queues = ["hosted-clusters", "mirror-configs"];
    const { messaging, environment, start } = await aDeployment(objects, { queues });
    const urls = { ...JSON.parse(environment.HUBRELAY_QUEUE_URLS ?? "") };
    const more = {
      HUBRELAY_QUEUE_URLS: JSON.stringify({
        ...urls,
        "hosted-clusters": `${messaging.endpoint}/000000000000/missing`,
      }),
    };
    const work = start(["work", "--function", "mirror-config", "--function", "hosted-clusters"], more);
    expect(await work.ended).toBe(2);
    expect(work.errors()).toContain("missing");
  });
});

describe("hubrelay resync", () => {
  test("When queues are missing, it should send to the others, and name the missing ones in one error", async () => {
    const { environment, messaging } = await aDeployment(objects);
    const { stdout, stderr, exitCode } = await hubrelay(["resync"], {
      variables: { ...environment, HUBRELAY_QUEUE_URLS: queueUrlsAt(messaging.endpoint, ["mirror-configs"]) },
    });
    expect(JSON.parse(stdout)).toMatchObject({ event: "resynced", messages: 1 });
    expect(stderr).toMatch(/^hubrelay: HUBRELAY_QUEUE_URLS has no queues hosted-clusters, .*\n$/);
    expect(exitCode).toBe(2);
  });
});
