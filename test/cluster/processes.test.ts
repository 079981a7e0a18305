import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { subscribeQueue } from "../support/messages/subscribe-queue.ts";
import { queueNames } from "../support/processes/deployment.ts";
import type { LoggingProcess } from "../support/processes/process-lines.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { createClusterVersion } from "./support/manifests/control-plane.ts";
import { renderKustomization } from "./support/manifests/kustomize.ts";
import { startPod, topicName } from "./support/manifests/pod-templates.ts";
import { readAuditLog, refusedRequests } from "./support/observe/audit-log.ts";

const generated = "99-worker-generated-registries";
const acme = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }]);

describe("the processes of the overlay sqs-endpoint, as it starts them, under its accounts", () => {
  let server: TestHub;
  let person: KubernetesHub;
  let messaging: EmbeddedMessaging;
  let overlay: readonly KubernetesObject[] = [];
  let single: readonly KubernetesObject[] = [];

  beforeAll(async () => {
    server = await startHub();
    overlay = await renderKustomization("infra/kubernetes/overlays/sqs-endpoint");
    for (const object of await renderKustomization("infra/hub-rbac"))
      await createManifest(server.api, object);
    single = await renderKustomization("infra/kubernetes/overlays/one-deployment");
    for (const object of single)
      if (object.metadata.name === "hubrelay-run" && /^(?:ServiceAccount|Role.*)$/.test(object.kind))
        await createManifest(server.api, object);
    messaging = await startEmbeddedMessaging({ queues: [...queueNames, "outcomes"], topic: topicName });
    await subscribeQueue(messaging, "outcomes");
    person = kubernetesHub(server.admin.kubeConfig);
    for (const object of [anImageConfig(), aPool("worker"), acme("first")])
      await person.create(asNew(object));
    await createClusterVersion(person);
  });
  afterAll(async () => {
    person.close();
    await messaging.stop();
    await server.stop();
  });

  /** Starts what a workload's pod runs, with its settings; hub and queues are those of the test. */
  const start = (workload: string) =>
    startPod(workload, { objects: overlay, server, endpoint: messaging.endpoint });

  const mirrorsOnNodes = async () => {
    const found = await person.get(kinds.MachineConfig, generated);
    return found
      ? readMachineConfigFiles(found)
          .map(({ contents }) => contents)
          .join()
      : "";
  };
  const patience = { timeout: 60_000, interval: 250 };
  const run = () =>
    startPod("hubrelay-run", {
      objects: single,
      server,
      endpoint: messaging.endpoint,
      // Its own server has no such topic; test/system/run.test.ts has a server for outcomes.
      settings: { HUBRELAY_QUEUE_PORT: "0", HUBRELAY_OUTCOME_TOPIC_ARN: "" },
    });
  const readiness = async (running: LoggingProcess): Promise<string> => {
    const { address } = await running.logged(({ event }) => event === "started");
    return await (await fetch(`http://${address}/readyz`)).text();
  };

  test("When a mirror set changes, the MachineConfig should contain its mirrors, with no request refused", async () => {
    const worker = await start("hubrelay-mirror-config");
    const forwarder = await start("hubrelay-forwarder");
    await expect.poll(mirrorsOnNodes, patience).toContain("first.example.com");
    await forwarder.logged(({ event }) => event === "leading");
    const second = await start("hubrelay-forwarder");
    await second.logged(({ event }) => event === "standing-by");

    const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
    if (present) await person.update({ ...present, spec: acme("second").spec });
    await expect.poll(mirrorsOnNodes, patience).toContain("second.example.com");

    expect(await forwarder.end("SIGTERM")).toBe(0);
    await second.logged(({ event }) => event === "leading");
    const tick = await start("hubrelay-resync");
    expect(await tick.ended).toBe(0);
    expect(tick.lines).toContainEqual(expect.objectContaining({ event: "resynced", messages: 1 }));
    for (const process of [second, worker]) expect(await process.end("SIGTERM")).toBe(0);

    const outcomes = await messaging.queue("outcomes").receive({ waitSeconds: 0 });
    expect(outcomes.map(({ body }) => JSON.parse(body).type)).toContain(
      "dev.hubrelay.mirror-config.rendered",
    );
    const requests = (await readAuditLog(server.auditLog)).filter(({ user }) =>
      user.startsWith("system:serviceaccount:hubrelay:"),
    );
    expect(requests.length).toBeGreaterThan(0);
    expect(refusedRequests(requests)).toBe("");
  });

  test("When one process runs everything, each part should act as its own account, and the standby take over", async () => {
    const before = (await readAuditLog(server.auditLog)).length;
    const first = await run();
    await first.logged(({ event }) => event === "synced");
    const second = await run();
    await second.logged(({ event }) => event === "standing-by");
    const edit = async (mirror: string): Promise<void> => {
      const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
      if (present) await person.update({ ...present, spec: acme(mirror).spec });
      await expect.poll(mirrorsOnNodes, patience).toContain(`${mirror}.example.com`);
    };
    await edit("third");
    expect(await first.end("SIGTERM")).toBe(0);
    await second.logged(({ event }) => event === "leading");
    await edit("fourth");
    expect(await second.end("SIGTERM")).toBe(0);
    const requests = (await readAuditLog(server.auditLog))
      .slice(before)
      .filter(({ user }) => user.startsWith("system:serviceaccount:hubrelay:"));
    expect(refusedRequests(requests)).toBe("");
    expect(new Set(requests.map(({ user, actsAs }) => `${user} ${actsAs}`))).toContain(
      "system:serviceaccount:hubrelay:hubrelay-run system:serviceaccount:hubrelay:hubrelay-mirror-config",
    );
    expect(requests.filter(({ actsAs }) => actsAs === "")).toEqual([]);
  });

  test("When a function loses its rights, it should be said by /readyz, also of one that stands by, and its change be written once it has them again", async () => {
    const first = await run();
    await expect.poll(() => readiness(first), patience).toBe("ok\n");
    const binding = (await renderKustomization("infra/hub-rbac")).find(
      ({ kind, metadata }) => kind === "ClusterRoleBinding" && metadata.name === "hubrelay-mirror-config",
    );
    if (!binding) throw new Error("mirror-config has no binding");
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/hubrelay-mirror-config";
    await server.api.send({ what: "take the rights away", method: "DELETE", path });
    const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
    if (present) await person.update({ ...present, spec: acme("fifth").spec });
    await expect.poll(() => readiness(first), patience).toMatch(/^The hub refuses mirror-config: /);
    const second = await run();
    await second.logged(({ event }) => event === "standing-by");
    await expect.poll(() => readiness(second), patience).toMatch(/^mirror-config may not /);

    await createManifest(server.api, binding);
    await expect.poll(mirrorsOnNodes, { ...patience, timeout: 10_000 }).toContain("fifth.example.com");
    await expect.poll(() => readiness(first), patience).toBe("ok\n");
    await expect.poll(() => readiness(second), patience).toMatch(/^It stands by: .* leads\.\n$/);
  });
});
