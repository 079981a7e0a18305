import type { Snapshot } from "#functions/mirror-config/observe.ts";
import { noFindings } from "#functions/mirror-config/observe.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import {
  displayName,
  isKind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { publicKey } from "#shared/domain/mirrors/policies/fixtures.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool, stored } from "./objects.ts";

const now = new Date("2026-03-01T02:00:00Z");
export const release = aDigestMirrorSet("release", [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["registry.hub.example.com:8443/release"] },
]);
export const storage = aDigestMirrorSet("storage-team", [
  { source: "quay.io/acme/csi:v1", mirrors: ["registry.hub.example.com:8443/acme/csi"] },
]);
/** Its images are blocked: the policy never applies. */
const rootOfTrust = { policyType: "PublicKey", publicKey: { keyData: publicKey } };
const policy = { rootOfTrust, signedIdentity: { matchPolicy: "MatchRepository" } };
export const idlePolicy = stored(
  kinds.ClusterImagePolicy,
  { name: "idle" },
  { spec: { scopes: ["quay.io/acme"], policy } },
);
export const mcoAnnotation = { "machineconfiguration.openshift.io/generated-by-controller-version": "0f3a" };

export const aHub = (changes: Partial<Snapshot> = {}): Snapshot => ({
  now,
  hubId: "urn:test:hub",
  machineConfigs: [],
  objectEvents: [],
  pools: [aPool("master"), aPool("worker")],
  customPools: [],
  nodeMachineConfigs: [],
  mirrorObjects: [release],
  image: anImageConfig(),
  clusterVersion: aClusterVersion(),
  release: noFindings,
  machineConfiguration: undefined,
  infrastructure: undefined,
  releaseObjects: [],
  windows: [],
  ...changes,
});

/** Lists the actions and decisions of a plan, a line each. */
export const written = (plan: Plan) =>
  plan.actions.map(({ verb, object }) => `${verb} ${object.kind} ${object.reason ?? object.metadata.name}`);
export const verdicts = (plan: Plan) => plan.decisions.map(({ subject, verdict }) => `${subject} ${verdict}`);

/** The worker's MachineConfig as another program wrote it for these mirror objects. */
export function foreignMachineConfig(
  annotations: Readonly<Record<string, string>>,
  mirrorObjects: readonly KubernetesObject[] = [release],
): KubernetesObject {
  const image = anImageConfig();
  const { files } = configureMirrors(
    { objects: mirrorObjects, image, clusterVersion: aClusterVersion() },
    { isStored: true },
  );
  const rendered = renderMachineConfig({ pool: "worker", files, image, annotations });
  return { ...rendered, metadata: { ...rendered.metadata, resourceVersion: "7" } };
}

/** Returns what this function reads of the hub after a plan was applied. */
export function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
  const applied = (objects: readonly KubernetesObject[], isOne: (object: KubernetesObject) => boolean) => {
    const nameOf = (object: KubernetesObject) => displayName(referenceTo(object));
    const byName = new Map(objects.map((object) => [nameOf(object), object]));
    for (const { verb, object } of actions.filter((action) => isOne(action.object))) {
      if (verb === "delete") byName.delete(nameOf(object));
      else {
        const resourceVersion = String(Number(object.metadata.resourceVersion ?? 10) + 1);
        byName.set(nameOf(object), { ...object, metadata: { ...object.metadata, resourceVersion } });
      }
    }
    return [...byName.values()];
  };
  return {
    ...snapshot,
    machineConfigs: applied(snapshot.machineConfigs, (object) => isKind(kinds.MachineConfig, object)),
    objectEvents: applied(snapshot.objectEvents, (object) => isKind(kinds.Event, object)),
    mirrorObjects: applied(snapshot.mirrorObjects, (object) =>
      mirrorKinds.some((kind) => isKind(kind, object)),
    ),
  };
}
