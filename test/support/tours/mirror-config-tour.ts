import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import {
  type Kind,
  type KubernetesObject,
  kinds,
  type ObjectMeta,
} from "#shared/domain/kubernetes/object.ts";
import { publicKey } from "#shared/domain/mirrors/policies/fixtures.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { quietPorts } from "../messages/quiet-ports.ts";

const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
const release = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
const rootOfTrust = { policyType: "PublicKey", publicKey: { keyData: publicKey } };

const object = (
  { apiVersion, kind }: Kind,
  name: string,
  spec: unknown,
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject => ({ apiVersion, kind, metadata: { name, ...metadata }, spec });

const pool = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  object(
    kinds.MachineConfigPool,
    name,
    {},
    { labels: builtIn, annotations: { [takeOverAnnotation]: "true", ...annotations } },
  );

/** Objects that have conditions, each with an error: policies for blocked images, and sources with a tag. */
function invalidObjects(namespace: string, suffix: string): readonly KubernetesObject[] {
  const policy = (scope: string) => ({
    scopes: [`quay.io/acme/${scope}-${suffix}`],
    policy: { rootOfTrust },
  });
  const rules = [{ source: `quay.io/acme/csi:${suffix}`, mirrors: ["mirror.example.com/acme"] }];
  return [
    object(kinds.ClusterImagePolicy, "idle", policy("cluster")),
    object(kinds.ImagePolicy, "idle", policy("team"), { namespace }),
    object(kinds.ImageSourceDigestPolicy, "tagged", {
      repositoryDigestMirrors: rules,
      imageDigestMirrors: rules,
    }),
    object(kinds.ImageSourceTagPolicy, "tagged", { repositoryTagMirrors: rules, imageTagMirrors: rules }),
    object(kinds.OperatorImageSourceDigestPolicy, "tagged", { repositoryDigestMirrors: rules }),
    object(kinds.OperatorImageSourceTagPolicy, "tagged", { repositoryTagMirrors: rules }),
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
  const follow = () =>
    reconcile(mirrorConfig, "cluster", {
      ...quietPorts(hub),
      log,
    });
  const blocking = (...blockedRegistries: readonly string[]) => ({ registrySources: { blockedRegistries } });
  const present = async ({ apiVersion, kind, metadata }: KubernetesObject) => {
    const known = Object.values(kinds).find((one) => one.kind === kind && one.apiVersion === apiVersion);
    const found = known && (await person.get(known, metadata.name, metadata.namespace));
    if (!found) throw new Error(`${kind} ${metadata.name} is gone`);
    return found;
  };

  const version = await person.create(
    object(kinds.ClusterVersion, "version", { clusterID: "6a5fc3b0-7a3e-4c0c-8f4d-0f7c5f1f2f3a" }),
  );
  await person.updateStatus({ ...version, status: clusterVersionStatus });
  const image = await person.create(object(kinds.Image, "cluster", blocking("quay.io/acme")));
  await person.create(object(kinds.Infrastructure, "cluster", {}));
  const first = invalidObjects(namespace, "v1");
  const wanted = [
    pool("master"),
    pool("worker"),
    pool("arbiter", { "hubrelay.dev/take-over": "true" }),
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
  await person.update({ ...(await present(image)), spec: blocking("quay.io/other") });
  await follow();

  await person.updateStatus({ ...(await present(version)), status: olderStatus });
  await follow();
}

/** As the API of ClusterVersions requires it. */
const clusterVersionStatus = {
  desired: { version: "4.20.3", image: release },
  observedGeneration: 1,
  versionHash: "hash",
  history: [],
  availableUpdates: null,
};
/** The status of a release on which two more objects decide what a change costs. */
const olderStatus = {
  ...clusterVersionStatus,
  history: [
    {
      state: "Completed",
      version: "4.19.3",
      image: release,
      verified: true,
      startedTime: "2026-03-01T00:00:00Z",
      completionTime: "2026-03-01T01:00:00Z",
    },
  ],
};
