import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import { HubError } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { readSources } from "../../cli/io/manifest-source.ts";
import { bundleHandler, writeFiles } from "../../infra/bundle/bundle.ts";
import { paths } from "../../infra/paths.ts";
import { type FunctionProcess, startFunction } from "../lambda/function-process.ts";
import { asNew, createObject } from "../support/hub/create-object.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { aRecord } from "../support/messages/sqs-record.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { hubAccounts } from "./support/clusters/service-account.ts";
import { createClusterVersion } from "./support/manifests/control-plane.ts";
import { readAuditLog } from "./support/observe/audit-log.ts";

const examples = join(paths.root, "examples/hub");
const plainRuntime = { name: "the plain loop", program: join(paths.root, "test/lambda/plain-runtime.ts") };

/** The objects of the examples except the hosted clusters; each that the API refuses is returned with the reason. */
async function createExamples(hub: KubernetesHub): Promise<readonly string[]> {
  const { objects } = await readSources([examples], async () => "");
  const refusals: string[] = [];
  for (const { object } of objects) {
    if (object.kind === kinds.HostedCluster.kind) continue;
    if (object.kind === kinds.ClusterVersion.kind) {
      await createClusterVersion(hub, Object(object.status).desired);
      continue;
    }
    await hub.create(asNew(object)).catch((error: unknown) => {
      if (!(error instanceof HubError && error.code === "Invalid")) throw error;
      refusals.push(error.message);
    });
  }
  return refusals;
}

/** The MachineConfigs that the same objects produce on the embedded hub. */
async function onADirectory(objects: readonly KubernetesObject[]): Promise<ReadonlyMap<string, unknown>> {
  const hub = openDirectoryHub(await temporaryFolder());
  try {
    for (const object of objects) await createObject(hub, object);
    const ports = quietPorts(hub);
    await reconcile(mirrorConfig, "cluster", ports);
    const machineConfigs = await hub.list(kinds.MachineConfig);
    return new Map(machineConfigs.map(({ metadata, spec }) => [metadata.name, spec]));
  } finally {
    hub.close();
  }
}

describe("the bundled mirror-config on a real API server", () => {
  let server: TestHub;
  let person: KubernetesHub;
  let messaging: EmbeddedMessaging;
  let mirrorFunction: FunctionProcess;
  let refusals: readonly string[];
  const cleanup = new AsyncDisposableStack();

  beforeAll(async () => {
    server = await startHub();
    cleanup.defer(() => server.stop());
    person = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
    cleanup.defer(() => person.close());
    refusals = await createExamples(person);
    messaging = await startEmbeddedMessaging({ queues: ["mirror-configs"], topic: "outcomes" });
    cleanup.defer(() => messaging.stop());
    const account = await (await hubAccounts(server))("hubrelay-mirror-config");
    const taskRoot = join(server.folder, "task");
    await writeFiles(taskRoot, (await bundleHandler("functions/mirror-config/handler.ts")).files);
    mirrorFunction = await startFunction({
      runtime: plainRuntime,
      taskRoot,
      environment: {
        HUBRELAY_HUB: `kubeconfig:${account.kubeConfigFile}#hub`,
        HUBRELAY_QUEUE_URL: messaging.queue("mirror-configs").url,
        HUBRELAY_DEAD_LETTERS_URL: messaging.deadLetters("mirror-configs").url,
        HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn,
        AWS_ENDPOINT_URL: messaging.endpoint,
      },
    });
    cleanup.use(mirrorFunction);
  });
  afterAll(() => cleanup.disposeAsync());

  let messages = 0;
  /** Passes an event to the function, as the queue does, and expects it to succeed. */
  async function deliver(about: KubernetesObject): Promise<void> {
    const body = JSON.stringify(hubEvent("update", referenceTo(about), { source: person.id }));
    const record = aRecord(`m${++messages}`, body, { sentAt: Date.now() });
    const result = await mirrorFunction.invoke({ Records: [record] });
    expect(result, mirrorFunction.output()).toEqual({ kind: "response", body: { batchItemFailures: [] } });
  }

  const get = async (kind: (typeof kinds)[keyof typeof kinds], name: string): Promise<KubernetesObject> => {
    const found = await person.get(kind, name);
    if (!found) throw new Error(`${kind.kind} ${name} is not there`);
    return found;
  };
  const generated = () =>
    Promise.all(
      ["master", "worker"].map((pool) => get(kinds.MachineConfig, `99-${pool}-generated-registries`)),
    );

  test("When two teams' policies contradict each other, the API should accept both, an Event on each should say so, and nothing be written", async () => {
    expect(refusals).toEqual([]);
    await deliver(await get(kinds.Image, "cluster"));
    const events = await person.list(kinds.Event, { namespace: "default" });
    const about = events.flatMap(({ reason, involvedObject }) =>
      reason === "ConflictingMirrorSourcePolicy" ? [Object(involvedObject).name] : [],
    );
    expect(about.sort()).toEqual(["edge-team", "storage-team"]);
    expect(await person.list(kinds.MachineConfig)).toEqual([]);
    // From here on the teams agree.
    const edge = await get(kinds.ImageDigestMirrorSet, "edge-team");
    const [rule] = Object(edge.spec).imageDigestMirrors;
    const imageDigestMirrors = [{ ...rule, mirrorSourcePolicy: "NeverContactSource" }];
    await person.update({ ...edge, spec: { imageDigestMirrors } });
  });

  test("When an event arrives, it should write what the embedded hub holds for the same objects", async () => {
    const mirrorSets = await person.list(kinds.ImageDigestMirrorSet);
    await deliver(mirrorSets[0] ?? (await get(kinds.Image, "cluster")));
    const same = await Promise.all(
      [
        kinds.ImageDigestMirrorSet,
        kinds.ImageTagMirrorSet,
        kinds.ImageContentSourcePolicy,
        kinds.Image,
        kinds.ClusterVersion,
        kinds.MachineConfigPool,
      ].map((kind) => person.list(kind)),
    );
    const expected = await onADirectory(same.flat());
    const image = await get(kinds.Image, "cluster");
    for (const { metadata, spec } of await generated()) {
      expect(spec).toEqual(expected.get(metadata.name));
      expect(metadata.ownerReferences).toMatchObject([
        { kind: "Image", name: "cluster", uid: image.metadata.uid },
      ]);
    }
    expect(expected.size).toBe(2);
  });

  test("When a person edits a rule, the file should follow, and an Event on the pool should report the cost", async () => {
    const [mirrorSet] = await person.list(kinds.ImageDigestMirrorSet);
    if (!mirrorSet) throw new Error("the examples have mirror sets");
    const imageDigestMirrors = [{ source: "quay.io/edited", mirrors: ["edited.example.com/edited"] }];
    await deliver(await person.update({ ...mirrorSet, spec: { imageDigestMirrors } }));
    for (const machineConfig of await generated()) {
      const text = readMachineConfigFiles(machineConfig).map(({ contents }) => contents);
      expect(text.join("\n")).toContain("edited.example.com/edited");
    }
  });

  test("When a user changes a MachineConfig by hand, it should revert the change", async () => {
    const [master] = await generated();
    if (!master) throw new Error("there is a MachineConfig of each pool");
    const changed = await person.update({ ...master, spec: { config: { ignition: { version: "3.2.0" } } } });
    await deliver(changed);
    const [reverted] = await generated();
    expect(reverted?.spec).toEqual(master.spec);
    expect(reverted?.metadata.generation).toBe((changed.metadata.generation ?? 0) + 1);
  });

  test("When everything is done, no request should have been refused, except reads of absent objects", async () => {
    const log = (await readAuditLog(server.auditLog)).filter(({ userAgent }) =>
      userAgent.startsWith("hubrelay"),
    );
    expect(log.length).toBeGreaterThan(0);
    expect(log.filter(({ status }) => status >= 400 && status !== 404)).toEqual([]);
  });
});
