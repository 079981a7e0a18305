import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { addOnCrds } from "./support/add-on-crds.ts";
import { createManifest } from "./support/apply-manifests.ts";
import { startHub, type TestHub } from "./support/hub.ts";
import { installCrds } from "./support/install-crds.ts";
import { renderKustomization } from "./support/kustomize.ts";
import { podTemplates } from "./support/pod-templates.ts";

const overlays = ["elasticmq", "aws-sqs"].map((overlay) => ({
  overlay,
  folder: `infra/kubernetes/overlays/${overlay}`,
}));

const podOf = ({ name, spec }: Readonly<{ name: string; spec: unknown }>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "hubrelay" },
  spec,
});

describe("infra/kubernetes on a real API server with KEDA's and Prometheus' definitions", () => {
  let server: TestHub;
  const rendered = new Map<string, readonly KubernetesObject[]>();
  const objectsOf = (overlay: string) => rendered.get(overlay) ?? [];

  beforeAll(async () => {
    server = await startHub();
    await installCrds(server.api, await addOnCrds());
    for (const { overlay, folder } of overlays) rendered.set(overlay, await renderKustomization(folder));
    const namespace = objectsOf("elasticmq").find(({ kind }) => kind === "Namespace");
    if (!namespace) throw new Error("the overlay brings no namespace");
    await createManifest(server.api, namespace);
  });
  afterAll(() => server.stop());

  test.for(overlays)(
    "When $overlay is applied, the API server should take every object",
    async ({ overlay }) => {
      const objects = objectsOf(overlay).filter(({ kind }) => kind !== "Namespace");
      const refused: string[] = [];
      for (const object of objects)
        await createManifest(server.api, object, { dryRun: true }).catch((error: unknown) =>
          refused.push(`${displayName(referenceTo(object))}: ${String(error)}`),
        );
      expect(objects.length).toBeGreaterThan(20);
      expect(refused).toEqual([]);
    },
  );

  test.for(overlays)(
    "When a pod of $overlay starts, its namespace's restrictions should let it in",
    async ({ overlay }) => {
      const templates = podTemplates(objectsOf(overlay));
      expect(templates.length).toBeGreaterThanOrEqual(3);
      for (const template of templates) await createManifest(server.api, podOf(template), { dryRun: true });
    },
  );

  test("When a pod may be root, the namespace should refuse it", async () => {
    const spec = { containers: [{ name: "hubrelay", image: "hubrelay" }] };
    await expect(
      createManifest(server.api, podOf({ name: "root", spec }), { dryRun: true }),
    ).rejects.toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("runAsNonRoot"),
    });
  });
});
