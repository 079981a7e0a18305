import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import {
  buildImage,
  builtImage,
  type Podman,
  podmanIn,
  whyNoContainers,
  whyNotStarted,
} from "../../support/containers/podman.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { queueNames } from "../../support/processes/deployment.ts";
import { type LoggingProcess, startLoggingProgram } from "../../support/processes/process-lines.ts";
import { because, skipBecause } from "../../support/setup/skipped-tests.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { createManifest } from "../support/manifests/apply-manifests.ts";
import { createClusterVersion } from "../support/manifests/cluster-version.ts";
import { renderKustomization } from "../support/manifests/kustomize.ts";
import { podCommand } from "../support/manifests/pod-command.ts";
import { readAuditLog, refusedRequests } from "../support/observe/audit-log.ts";

const why = whyNoContainers();

describe.skipIf(why)(
  "forwarder and worker of the overlay sqs-endpoint in containers of the built image, on a real API server",
  because(why),
  () => {
    const cleanup = new AsyncDisposableStack();
    let server: TestHub;
    let person: KubernetesHub;
    let messaging: EmbeddedMessaging;
    let podman: Podman;
    let overlay: readonly KubernetesObject[] = [];

    beforeAll(async () => {
      await buildImage();
      server = await startHub();
      cleanup.defer(() => server.stop());
      const folder = join(server.folder, "containers");
      await mkdir(folder);
      podman = await podmanIn(folder);
      overlay = await renderKustomization("infra/kubernetes/overlays/sqs-endpoint");
      for (const object of await renderKustomization("infra/hub-rbac"))
        await createManifest(server.api, object);
      messaging = await startEmbeddedMessaging({ queues: [...queueNames, "outcomes"], topic: "unused" });
      cleanup.defer(() => messaging.stop());
      person = kubernetesHub(server.admin.kubeConfig);
      cleanup.defer(() => person.close());
      for (const object of [anImageConfig(), aPool("worker")]) await person.create(asNew(object));
      await createClusterVersion(person);
    }, 600_000);
    afterAll(() => cleanup.disposeAsync());

    /** Starts a workload's container, restricted as its pod is: its own account, no capabilities, nothing to write to. */
    async function start(workload: string): Promise<LoggingProcess> {
      const { args, environment, kubeConfigFile } = await podCommand(workload, {
        objects: overlay,
        server,
        endpoint: messaging.endpoint,
      });
      await chmod(kubeConfigFile, 0o644); // the image's user is another
      const settings = { ...environment, HUBRELAY_HUB: "kubeconfig:/hub/kubeconfig", HUBRELAY_PORT: "0" };
      const names = Object.keys(settings).map((name) => `--env ${name}`);
      const restrictions = "--read-only --cap-drop all --security-opt no-new-privileges";
      const volume = `--volume ${kubeConfigFile}:/hub/kubeconfig:ro`;
      const command = `exec podman run --rm ${restrictions} ${volume} ${names.join(" ")} ${builtImage.name} ${args.join(" ")}`;
      const [program, shellArgs] = podman.inShell(command);
      const started = startLoggingProgram(program, shellArgs, { ...podman.environment, ...settings });
      onTestFinished(async () => {
        await started.end("SIGKILL");
      });
      return started;
    }

    test("When a mirror set is created, the MachineConfig should be written and a subscriber should know, with no request refused", {
      timeout: 900_000,
    }, async ({ skip, task }) => {
      expect(await podman.run(`podman load --quiet --input ${builtImage.archive}`)).toMatchObject({
        code: 0,
      });
      const notStarted = whyNotStarted(await podman.run(`podman run --rm ${builtImage.name} version`));
      if (notStarted) skipBecause({ skip, task }, notStarted);

      const worker = await start("hubrelay-mirror-config");
      const forwarder = await start("hubrelay-forwarder");
      await forwarder.logged(({ event }) => event === "leading");
      const rule = { source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] };
      await person.create(asNew(aDigestMirrorSet("acme", [rule])));
      const files = async () => {
        const written = await person.get(kinds.MachineConfig, "99-worker-generated-registries");
        return written ? readMachineConfigFiles(written).map(({ contents }) => contents) : [];
      };
      await expect
        .poll(async () => (await files()).join("\n"), { timeout: 120_000 })
        .toContain(rule.mirrors[0]);
      await worker.logged(({ event }) => event === "published");
      const outcomes = await messaging.queue("outcomes").receive({ waitSeconds: 20 });
      expect(outcomes.map(({ body }) => JSON.parse(body).type)).toContain(
        "dev.hubrelay.mirror-config.rendered",
      );
      for (const process of [forwarder, worker]) expect(await process.end("SIGTERM")).toBe(0);
      const requests = (await readAuditLog(server.auditLog)).filter(({ user }) =>
        user.startsWith("system:serviceaccount:hubrelay:"),
      );
      expect(requests.length).toBeGreaterThan(0);
      expect(refusedRequests(requests)).toBe("");
    });
  },
);
