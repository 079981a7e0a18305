import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { publicKey } from "#shared/domain/mirrors/policies/fixtures.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { asNew } from "../hub/create-object.ts";
import { anImageConfig, anObject, aPool } from "../hub/objects.ts";
import { quietPorts } from "../messages/quiet-ports.ts";

const release = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
const rootOfTrust = { policyType: "PublicKey", publicKey: { keyData: publicKey } };

/** Objects that have conditions, each with an error: policies for blocked images, and sources with a tag. */
function invalidObjects(namespace: string, suffix: string): readonly KubernetesObject[] {
  const policy = (scope: string) => ({
    spec: { scopes: [`quay.io/acme/${scope}-${suffix}`], policy: { rootOfTrust } },
  });
  const rules = [{ source: `quay.io/acme/csi:${suffix}`, mirrors: ["mirror.example.com/acme"] }];
  const ofDigests = { spec: { repositoryDigestMirrors: rules, imageDigestMirrors: rules } };
  const ofTags = { spec: { repositoryTagMirrors: rules, imageTagMirrors: rules } };
  return [
    anObject(kinds.ClusterImagePolicy, { name: "idle" }, policy("cluster")),
    anObject(kinds.ImagePolicy, { name: "idle", namespace }, policy("team")),
    anObject(kinds.ImageSourceDigestPolicy, { name: "tagged" }, ofDigests),
    anObject(kinds.ImageSourceTagPolicy, { name: "tagged" }, ofTags),
    anObject(kinds.OperatorImageSourceDigestPolicy, { name: "tagged" }, ofDigests),
    anObject(kinds.OperatorImageSourceTagPolicy, { name: "tagged" }, ofTags),
  ];
}

/**
 * Makes the mirror-config function send every request that it ever makes: `person` changes the hub, and the function
 * follows over its own `hub`, with the permissions of its account. Creates, changes and takes over MachineConfigs, and
 * creates, repeats and deletes every kind of Event. Invalid objects are in `namespace`, which must exist.
 */
export async function tourOfMirrorConfig({
  person,
  hub,
  namespace,
  log = () => undefined,
}: Readonly<{ person: Hub; hub: Hub; namespace: string; log?: Log }>): Promise<void> {
  const follow = () => reconcile(mirrorConfig, "cluster", { ...quietPorts(hub), log });
  const blocking = (...blockedRegistries: readonly string[]) => ({ blockedRegistries });
  const present = async ({ apiVersion, kind, metadata }: KubernetesObject) => {
    const known = Object.values(kinds).find((one) => one.kind === kind && one.apiVersion === apiVersion);
    const found = known && (await person.get(known, metadata.name, metadata.namespace));
    if (!found) throw new Error(`${kind} ${metadata.name} is gone`);
    return found;
  };

  const clusterId = { clusterID: "6a5fc3b0-7a3e-4c0c-8f4d-0f7c5f1f2f3a" };
  const version = await person.create(
    anObject(kinds.ClusterVersion, { name: "version" }, { spec: clusterId }),
  );
  await person.updateStatus({ ...version, status: clusterVersionStatus });
  const image = await person.create(asNew(anImageConfig(blocking("quay.io/acme"))));
  await person.create(anObject(kinds.Infrastructure, { name: "cluster" }, { spec: {} }));
  const first = invalidObjects(namespace, "v1");
  const wanted = [
    ...["master", "worker", "arbiter"].map((name) => asNew(aPool(name))),
    renderMachineConfig({ pool: "arbiter", files: [] }),
  ];
  for (const one of wanted) await person.create(one);
  await follow();

  for (const one of first) await person.create(one);
  await follow();

  const second = invalidObjects(namespace, "v2");
  for (const one of second) await person.update({ ...(await present(one)), spec: one.spec });
  await follow();

  for (const one of second) {
    const { apiVersion, kind, metadata } = await present(one);
    await person.delete({ apiVersion, kind, ...metadata });
  }
  await person.update({ ...(await present(image)), spec: { registrySources: blocking("quay.io/other") } });
  await follow();

  await person.updateStatus({ ...(await present(version)), status: olderStatus });
  await follow();
}

/** As the API of ClusterVersions requires it. */
const clusterVersionStatus = {
  ...{ desired: { version: "4.20.3", image: release }, observedGeneration: 1, versionHash: "hash" },
  ...{ history: [], availableUpdates: null },
};
const completed = { startedTime: "2026-03-01T00:00:00Z", completionTime: "2026-03-01T01:00:00Z" };
/** The status of a release on which two more objects decide what a change costs. */
const olderStatus = {
  ...clusterVersionStatus,
  history: [{ state: "Completed", version: "4.19.3", image: release, verified: true, ...completed }],
};
