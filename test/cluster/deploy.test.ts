import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { hubrelay } from "../system/cli.ts";
import { startCluster, type TestCluster } from "./support/clusters/cluster.ts";
import { tokenFor } from "./support/clusters/service-account.ts";
import { createManifest, replaceStatus } from "./support/manifests/apply-manifests.ts";
import { addOnCrds, hubCrds, installCrds } from "./support/manifests/crds.ts";
import { foldersOf, overlayWith, renderKustomization, renderOverlay } from "./support/manifests/kustomize.ts";
import { podTemplates } from "./support/manifests/pod-templates.ts";
import { upgradeTable } from "./support/observe/raw-get.ts";
import { kubectl } from "./support/programs/programs.ts";

const overlays = ["sqs-endpoint", "aws-sqs", "forwarder", "one-deployment"].map((overlay) => {
  const [folder = "", ...addOns] = foldersOf(overlay);
  return { overlay, folder, addOns };
});

const podOf = ({ name, spec }: Readonly<{ name: string; spec: unknown }>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "hubrelay" },
  spec,
});

describe("what infra/ installs, on a real API server with the CRDs of KEDA and Prometheus", () => {
  let server: TestCluster;
  const rendered = new Map<string, readonly KubernetesObject[]>();
  const objectsOf = (overlay: string) => rendered.get(overlay) ?? [];

  beforeAll(async () => {
    // A hub that hubrelay was never on: the overlays bring its kinds.
    const crds = (await hubCrds()).filter(({ group }) => group !== "hubrelay.dev");
    server = await startCluster({ crds });
    for (const { overlay } of overlays) rendered.set(overlay, await renderOverlay(overlay));
    const namespace = objectsOf("sqs-endpoint").find(({ kind }) => kind === "Namespace");
    if (!namespace) throw new Error("the overlay brings no namespace");
    await createManifest(server.api, namespace);
  });
  afterAll(() => server.stop());

  const runKubectl = async (...args: readonly string[]): Promise<readonly string[]> => {
    const env = { ...process.env, KUBECONFIG: server.admin.kubeConfigFile };
    const { stdout } = await succeeded(await kubectl(console.log), args, { cwd: paths.root, env });
    return stdout.trim().split("\n");
  };
  const apply = async (...folders: readonly string[]): Promise<readonly string[]> => {
    const lines: string[] = [];
    for (const folder of folders) {
      lines.push(...(await runKubectl("apply", "-k", folder)));
      // It fails for a difference: a field that the hub drops or changes would be sent with every apply.
      await runKubectl("diff", "-k", folder);
    }
    return lines;
  };

  test.for(overlays)(
    "When a hub has neither KEDA nor Prometheus, $overlay should be applied as a whole, and what needs them be refused",
    async ({ folder, addOns }) => {
      const dryRun = (path: string) => runKubectl("apply", "--dry-run=server", "-k", path);
      expect(await dryRun(folder)).toHaveLength((await renderKustomization(folder)).length);
      for (const addOn of addOns) await expect(dryRun(addOn)).rejects.toThrow("no matches for kind");
    },
  );

  describe("on a hub with KEDA and Prometheus", () => {
    beforeAll(async () => installCrds(server.api, await addOnCrds()));

    test.for(overlays)(
      "When $overlay is applied with kubectl, the hub should store every object as it is",
      async ({ overlay, folder, addOns }) => {
        expect(await apply(folder, ...addOns)).toHaveLength(objectsOf(overlay).length);
      },
    );

    test.for(["sqs-endpoint", "aws-sqs"])(
      "When the queues' server scales %s instead, the hub should store every object as it is",
      async (overlay) => {
        const folder = `infra/kubernetes/overlays/${overlay}/keda-sqs`;
        expect(await apply(folder)).toHaveLength((await renderKustomization(folder)).length);
      },
    );

    test.for(overlays)(
      "When $overlay has the console, the hub should store every object as it is, and admit its pod",
      async ({ overlay }) => {
        await overlayWith(overlay, ["console"], async (folder) => {
          await apply(folder);
          const templates = podTemplates(await renderKustomization(folder));
          const pod = templates.find(({ name }) => name === "hubrelay-console");
          if (!pod) throw new Error("the component has no pod");
          await createManifest(server.api, podOf(pod), { dryRun: true });
        });
      },
    );

    test("When hubrelay is a good neighbour, the API server should serve its accounts in their own priority level", async () => {
      const components = ["flow-control", "priority-class", "proxy", "trusted-ca"];
      await overlayWith("one-deployment", components, async (folder) => {
        await apply(folder);
        const token = await tokenFor(server.api, { namespace: "hubrelay", name: "hubrelay-forwarder" });
        const { kubeConfig } = await server.userAccess("neighbour", { token });
        const hub = kubernetesHub(kubeConfig);
        onTestFinished(() => hub.close());
        const served = async () => {
          await hub.list(kinds.MaintenanceWindow);
          const dispatched = (await server.metrics()).filter(
            ({ name, labels }) =>
              name === "apiserver_flowcontrol_dispatched_requests_total" && labels.flow_schema === "hubrelay",
          );
          return dispatched.map(({ labels }) => labels.priority_level);
        };
        await expect.poll(served).toContain("hubrelay");
      });
    });

    test.for([{ options: [] }, { options: ["--as-accounts"] }])(
      "When doctor $options checks the hub of the overlays, it should note what they do not decide, and that two forms share a Lease",
      async ({ options }) => {
        const variables = { KUBECONFIG: server.admin.kubeConfigFile };
        const { stdout, exitCode } = await hubrelay(["doctor", "-o", "json", ...options], { variables });
        const { checks }: { checks: readonly { name: string; state: string }[] } = JSON.parse(stdout);
        expect(checks.filter(({ state }) => state !== "ok")).toMatchObject([
          { name: "kinds of mirror-config", state: "note" }, // those that no release serves yet
          { name: "release", state: "note" }, // this hub is not OpenShift
          { name: "pre-caching guard", state: "note" }, // everybody builds the workload's image
          { name: "lease", state: "note" }, // no pod runs here
          { name: "forms of deployment", state: "problem" }, // all overlays are installed here, which nobody should do
          { name: "queues", state: "note" }, // of another machine; test/elasticmq/doctor.test.ts checks some
          { name: "outcomes", state: "note" },
        ]);
        expect(exitCode).toBe(1);
      },
    );
  });

  test.for(overlays)(
    "When a pod of $overlay starts, the restrictions of its namespace should admit it",
    async ({ overlay }) => {
      const templates = podTemplates(objectsOf(overlay));
      expect(templates.length).toBeGreaterThanOrEqual(1);
      for (const template of templates) await createManifest(server.api, podOf(template), { dryRun: true });
    },
  );

  test("When a pod may run as root, the namespace should refuse it", async () => {
    const spec = { containers: [{ name: "hubrelay", image: "hubrelay" }] };
    await expect(
      createManifest(server.api, podOf({ name: "root", spec }), { dryRun: true }),
    ).rejects.toMatchObject({
      code: "Invalid",
      message: expect.stringContaining("runAsNonRoot"),
    });
  });

  describe("the definitions of infra/crds/talm", () => {
    const talm = (kind: string, name: string, spec: unknown): KubernetesObject => ({
      apiVersion: "ran.openshift.io/v1alpha1",
      kind,
      metadata: { name, namespace: "default" },
      spec,
    });

    test("When you list ClusterGroupUpgrades, the table should show the last condition", async () => {
      const cgu = talm("ClusterGroupUpgrade", "sample", { remediationStrategy: { maxConcurrency: 1 } });
      const created = await createManifest(server.api, cgu);
      expect(created.spec).toMatchObject({ enable: true, remediationStrategy: { timeout: 240 } });
      const common = { status: "True", lastTransitionTime: "2026-08-10T02:30:00Z" };
      const conditions = [
        { type: "Validated", reason: "ValidationCompleted", message: "a", ...common },
        { type: "PrecacheSpecValid", reason: "PrecacheSpecIsWellFormed", message: "b", ...common },
      ];
      await replaceStatus(server.api, { ...created, status: { conditions } });
      expect(await upgradeTable(server.api, "default")).toEqual({
        columns: ["Name", "Age", "State", "Details"],
        rows: [["sample", expect.any(String), "PrecacheSpecIsWellFormed", "b"]],
      });
    });

    const maps = { overrides: { operatorsPackagesAndChannels: [{ "local-storage-operator": "stable" }] } };

    test.for([
      ["ClusterGroupUpgrade", { remediationStrategy: {} }, "spec.remediationStrategy.maxConcurrency"],
      ["PreCachingConfig", { spaceRequired: 30 }, "spec.spaceRequired"],
      ["PreCachingConfig", maps, "spec.overrides.operatorsPackagesAndChannels[0]"],
    ] as const)(
      "When a %s has %j, it should be refused as the operator's own CRD refuses it, for %s",
      async ([kind, spec, field]) => {
        const object = talm(kind, "refused", spec);
        await expect(createManifest(server.api, object, { dryRun: true })).rejects.toMatchObject({
          code: "Invalid",
          message: expect.stringContaining(field),
        });
      },
    );

    test("When spaceRequired or an image is any text, it should be accepted: the function validates it", async () => {
      const spec = { spaceRequired: "30Gi", additionalImages: ["busybox", ""] };
      await createManifest(server.api, talm("PreCachingConfig", "taken", spec), { dryRun: true });
    });
  });
});
