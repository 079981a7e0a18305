import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { anObject } from "../hub/objects.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/* Objects in the form in which oc-mirror v2 writes them: names, namespaces, labels, annotations and files. */

type Rule = Readonly<{ source: string; mirrors: readonly string[] }>;

const madeAt = (createdAt: string): Readonly<Record<string, string>> => ({
  createdBy: "oc-mirror v2",
  createdAt,
  "oc-mirror_version": "4.21.0-202608210100.p0",
});

/** A run of oc-mirror at some time: mirrors of a release and an operator, their catalog, signature and update graph. */
export function aRun({
  createdAt = "2026-03-01T02:00:00Z",
  mirror = "mirror.lan:8443",
  release = [
    { source: "quay.io/openshift-release-dev/ocp-release", mirrors: [`${mirror}/openshift/release-images`] },
    { source: "quay.io/openshift-release-dev/ocp-v4.0-art-dev", mirrors: [`${mirror}/openshift/release`] },
  ],
  operator = [{ source: "registry.redhat.io/openshift4", mirrors: [`${mirror}/openshift4`] }],
  catalog = `${mirror}/redhat/redhat-operator-index:v4.20`,
  catalogName = "redhat-operator-index-v4-20",
}: Readonly<{
  createdAt?: string;
  mirror?: string;
  release?: readonly Rule[];
  operator?: readonly Rule[];
  catalog?: string;
  catalogName?: string;
}> = {}) {
  const annotations = madeAt(createdAt);
  const metadata = (name: string, more: Partial<ObjectMeta> = {}) => ({ name, annotations, ...more });
  const mirrorSet = (name: string, imageDigestMirrors: readonly Rule[]) =>
    anObject(kinds.ImageDigestMirrorSet, metadata(name), { spec: { imageDigestMirrors } });
  const idms = [mirrorSet("idms-release-0", release), mirrorSet("idms-operator-0", operator)];
  const tags = { imageTagMirrors: release.slice(0, 1) };
  const itms = anObject(kinds.ImageTagMirrorSet, metadata("itms-release-0"), { spec: tags });
  const cs = anObject(
    kinds.CatalogSource,
    metadata(`cs-${catalogName}`, { namespace: "openshift-marketplace" }),
    { spec: { image: catalog, sourceType: "grpc" } },
  );
  const cc = anObject(
    { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterCatalog" },
    metadata(`cc-${catalogName}`),
    { spec: { source: { image: { ref: catalog }, type: "Image" } } },
  );
  const graphDataImage = `${mirror}/openshift/graph-image:latest`;
  const updateService = anObject(
    { apiVersion: "updateservice.operator.openshift.io/v1", kind: "UpdateService" },
    metadata("update-service-oc-mirror", { namespace: "openshift-update-service" }),
    { spec: { graphDataImage, releases: `${mirror}/openshift/release-images`, replicas: 2 } },
  );
  const labels = { "release.openshift.io/verification-signatures": "" };
  const signatures = anObject(
    kinds.ConfigMap,
    metadata("mirrored-release-signatures", { namespace: "openshift-config-managed", labels }),
    { binaryData: { [`sha256-${"a".repeat(64)}-1`]: "c2lnbmF0dXJl" } },
  );
  return { idms, itms, cs, cc, updateService, signatures };
}

export type Run = ReturnType<typeof aRun>;

/** Every object of a run, in no useful order. */
export const objectsOf = ({ idms, ...run }: Run): readonly KubernetesObject[] => {
  const { updateService, cs, cc, itms, signatures } = run;
  return [updateService, cs, cc, itms, ...idms, signatures];
};

/** Writes a run as oc-mirror does, and returns its workspace. */
export async function aWorkspace({ idms, itms, cs, cc, updateService, signatures }: Run): Promise<string> {
  const workspace = await temporaryFolder();
  const resources = join(workspace, "working-dir/cluster-resources");
  const raw = join(workspace, "working-dir/signatures");
  for (const folder of [resources, raw]) await mkdir(folder, { recursive: true });
  const files: Readonly<Record<string, string>> = {
    "idms-oc-mirror.yaml": idms.map((object) => `---\n${writeManifest(object)}`).join(""),
    "itms-oc-mirror.yaml": `---\n${writeManifest(itms)}`,
    [`${cs.metadata.name}.yaml`]: writeManifest(cs),
    [`${cc.metadata.name}.yaml`]: writeManifest(cc),
    "updateService.yaml": writeManifest(updateService),
    "signature-configmap.json": JSON.stringify(signatures),
    "signature-configmap.yaml": writeManifest(signatures),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(resources, name), text);
  // A detached signature in OpenPGP's binary form, which is no manifest.
  await writeFile(join(raw, `4.20.4-x86_64-sha256-${"a".repeat(64)}`), Buffer.from([0x90, 0x0d, 0x03, 0x00]));
  return workspace;
}
