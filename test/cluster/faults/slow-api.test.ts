import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { compileCache } from "../../support/processes/deployment.ts";
import { startHubrelay } from "../../support/processes/hubrelay-process.ts";
import { startHub } from "../support/clusters/cluster.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { startFaultyApi } from "../support/servers/faulty-api.ts";

const acme = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }]);

test("When the API server takes 3 to 11 s for each request, there should still be a leader that writes what follows from a change", async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.adopt(await startHub(), (one) => one.stop());
  const person = stack.adopt(kubernetesHub(server.admin.kubeConfig), (one) => one.close());
  await createClusterVersion(person);
  for (const object of [anImageConfig(), aPool("worker"), acme("first")]) await person.create(asNew(object));
  let requests = 0;
  const api = stack.use(
    await startFaultyApi(server, async () => {
      await sleep(3_000 + ((requests++ * 3_700) % 8_001));
      return undefined;
    }),
  );
  const { kubeConfigFile } = await server.userAccess("far", { token: server.admin.token }, api.port);
  const running = startHubrelay(["run", "--lease", "default/hubrelay"], {
    PATH: process.env.PATH ?? "",
    ...compileCache,
    HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}`,
    HUBRELAY_LOG_LEVEL: "debug",
  });
  stack.defer(async () => {
    await running.end("SIGKILL");
  });
  const mirrors = async () => {
    const found = await person.get(kinds.MachineConfig, "99-worker-generated-registries");
    return found
      ? readMachineConfigFiles(found)
          .map(({ contents }) => contents)
          .join()
      : "";
  };
  const patience = { timeout: 240_000, interval: 500 };
  await expect.poll(mirrors, patience).toContain("first.example.com");
  const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
  if (present) await person.update({ ...present, spec: acme("second").spec });
  await expect.poll(mirrors, patience).toContain("second.example.com");
  expect(running.lines.filter(({ event }) => event === "leading")).toHaveLength(1);
}, 600_000);
