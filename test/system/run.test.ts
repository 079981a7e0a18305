import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { compileCache } from "../support/processes/deployment.ts";
import { startHubrelay } from "../support/processes/hubrelay-process.ts";
import { type ApiCall, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";

const acme = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }]);
const items = [anImageConfig(), aClusterVersion(), aPool("worker"), acme("first")];
const generated = "99-worker-generated-registries";
const isEvent =
  (event: string) =>
  (line: Readonly<Record<string, unknown>>): boolean =>
    line.event === event;

/** A hub in a folder, a server for outcomes, and processes that have no other service. */
async function onPremises() {
  const directory = await temporaryFolder();
  await writeFile(join(directory, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const hub = openDirectoryHub(directory, { id: "urn:test:hub" });
  onTestFinished(() => hub.close());
  const sink = { status: 202 };
  const accepted: ApiCall[] = [];
  const server = await scriptedApi((call, response) => {
    if (sink.status === 202) accepted.push(call);
    response.writeHead(sink.status).end();
  });
  const environment = {
    PATH: process.env.PATH ?? "",
    ...compileCache,
    HUBRELAY_HUB: `directory:${directory}`,
    HUBRELAY_HUB_ID: "urn:test:hub",
    HUBRELAY_OUTCOME_SINKS: JSON.stringify({ tickets: { url: server.url } }),
    HUBRELAY_LOG_LEVEL: "debug",
  };
  const start = (...args: readonly string[]) => {
    const started = startHubrelay(
      ["run", "--function", "mirror-config", "--port", "0", ...args],
      environment,
    );
    onTestFinished(async () => {
      await started.end("SIGKILL");
    });
    return started;
  };
  const outcomes = () => accepted.map(({ body }) => JSON.parse(body));
  return { hub, sink, requests: server.calls, outcomes, environment, start };
}

/** Releases the Lease, as if it had expired, for which a test need not wait; the folder's hub sees it a moment later. */
function expire(hub: Hub): Promise<void> {
  return vi.waitFor(async () => {
    const held = await hub.get(kinds.Lease, "hubrelay-forwarder", "hubrelay");
    if (!held) throw new Error("there is no Lease");
    await hub.update({ ...held, spec: { ...fieldsOf(held.spec), holderIdentity: "" } });
  });
}

const rendered = { type: "dev.hubrelay.mirror-config.rendered", subject: generated };

test("When one process runs, it should write what follows from a change, publish it, and end with its work done", async () => {
  const { hub, outcomes, start } = await onPremises();
  const running = start();
  await running.logged(isEvent("synced"));
  await expect.poll(outcomes).toContainEqual(expect.objectContaining(rendered));
  const present = await hub.get(kinds.ImageDigestMirrorSet, "acme");
  if (!present) throw new Error("acme is not there");
  await hub.update({ ...present, spec: acme("second").spec });
  await expect.poll(() => outcomes().length).toBe(2);
  const written = async () => {
    const found = await hub.get(kinds.MachineConfig, generated);
    return found && readMachineConfigFiles(found).map(({ contents }) => contents);
  };
  await expect.poll(async () => (await written())?.join("")).toContain("second.example.com");
  expect(await running.end("SIGTERM")).toBe(0);
  expect(running.lines.at(-1)).toMatchObject({ event: "stopped", process: "run" });
  expect(running.errors()).toBe("");
});

test("When it has a hub and nothing else, it should work, log its outcomes, and say once that pre-caching is off", async () => {
  const { environment } = await onPremises();
  const { PATH, HUBRELAY_HUB } = environment;
  const running = startHubrelay(["run"], { PATH, ...compileCache, HUBRELAY_HUB });
  onTestFinished(async () => {
    await running.end("SIGKILL");
  });
  await running.logged((line) => isEvent("published")(line) && line.type === rendered.type);
  await running.logged(isEvent("synced"));
  const { address } = await running.logged(isEvent("queues-opened"));
  const keys = { accessKeyId: "any", secretAccessKey: "any" };
  const sqs = sqsClient({ region: "any", endpoint: String(address), credentials: keys });
  onTestFinished(() => sqs.destroy());
  const timeouts = controllers.map(async ({ queue, timeoutSeconds = 30 }) => {
    const { visibilityTimeoutSeconds } = await queueSettings(sqs, `${address}/000000000000/${queue}`);
    return visibilityTimeoutSeconds === 6 * timeoutSeconds;
  });
  expect(await Promise.all(timeouts)).not.toContain(false);
  expect(running.lines.filter(isEvent("functions-off"))).toMatchObject([
    {
      functions: ["precache-cluster", "precache-plan"],
      reason: expect.stringContaining("HUBRELAY_WORKLOAD_IMAGE is not set"),
    },
  ]);
});

test("When a process is killed while the server for outcomes is away, the next one should publish what it owed", async () => {
  const { hub, sink, requests, outcomes, start } = await onPremises();
  const lease = ["--lease", "hubrelay/hubrelay-forwarder"];
  sink.status = 503;
  const first = start(...lease);
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  // Each process counts the versions of the folder's objects itself.
  const [{ correlationid: _, ...owed }] = requests.map(({ body }) => JSON.parse(body));
  // The Lease has it with the next renewal.
  await first.logged((line) => isEvent("lease-renewed")(line) && first.lines.indexOf(line) > 0);
  const second = start(...lease);
  await second.logged(isEvent("standing-by"));
  await first.end("SIGKILL");
  sink.status = 202;
  await expire(hub);
  await second.logged(isEvent("leading"));
  await expect.poll(outcomes, { timeout: 60_000 }).toContainEqual(expect.objectContaining(owed));
});
