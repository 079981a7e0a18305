import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { compileCache } from "../support/processes/deployment.ts";
import { startHubrelay } from "../support/processes/hubrelay-process.ts";
import { type ApiCall, scriptedApi } from "../support/servers/scripted-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { startInProcess } from "./cli-in-process.ts";

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
  const { HUBRELAY_HUB } = environment;
  const running = startInProcess(["run"], { HUBRELAY_HUB });
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
  expect(await running.end("SIGTERM")).toBe(0);
});
