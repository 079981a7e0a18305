import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors } from "../../mirrors/configuration.ts";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../../mirrors/fixtures.ts";
import { namespacePolicyPath, nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";

/* Files and objects for tests. */

export const registriesConf = (text: string) => textFile(nodePaths.registriesConf, text);
export const policies = (...files: readonly unknown[]): KubernetesObject => ({
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  metadata: { name: "cluster" },
  spec: { nodeDisruptionPolicy: { files } },
});
export const machineOSConfig = (pool: string, version = "v1"): KubernetesObject => ({
  apiVersion: `machineconfiguration.openshift.io/${version}`,
  kind: "MachineOSConfig",
  metadata: { name: pool },
  spec: { machineConfigPool: { name: pool } },
});
export const drainOverrideMap: KubernetesObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "image-registry-override-drain", namespace: "openshift-machine-config-operator" },
};
export const runs = (current: string, ...begun: readonly string[]): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  status: {
    history: [
      ...begun.map((version) => ({ state: "Partial", version })),
      { state: "Completed", version: current },
    ],
  },
});
export const reloadCrio = { type: "Reload", reload: { serviceName: "crio.service" } };
export const restartCrio = { type: "Restart", restart: { serviceName: "crio.service" } };

export const withMirror = '[[registry]]\nlocation = "a.io"\n[[registry.mirror]]\nlocation = "m.lan"\n';
export const digestMirror = `${withMirror}pull-from-mirror = "digest-only"\n`;
export const search = "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n";
export const sigstore = textFile(nodePaths.sigstoreRegistries, "docker: {}\n");
export const policyJson = textFile(nodePaths.policy, "{}");
export const namespaced = textFile(namespacePolicyPath("team"), "{}");
export const searchDropIn = textFile(
  nodePaths.searchRegistries,
  'unqualified-search-registries = ["a.io"]\n',
);
export const safe = { before: [], after: [registriesConf(search + digestMirror)] };
export const unsafe = { before: [], after: [registriesConf(search + withMirror)] };

export const source = "quay.io/ns";
export const digest = (...mirrors: string[]) => anImageDigestMirrorSet("digest", [{ source, mirrors }]);
export const never = (...mirrors: string[]) =>
  anImageDigestMirrorSet("digest", [{ source, mirrors, mirrorSourcePolicy: "NeverContactSource" }]);
export const tag = (...mirrors: string[]) => anImageTagMirrorSet("tag", [{ source, mirrors }]);
export const icsp = (...mirrors: string[]) => anImageContentSourcePolicy("digest", [{ source, mirrors }]);
export const other = anImageDigestMirrorSet("other", [{ source: "a.io/other", mirrors: ["m1.lan/other"] }]);

export function filesOf(objects: readonly KubernetesObject[]) {
  const image = objects.find(({ kind }) => kind === "Image");
  return configureMirrors({ objects, ...(image ? { image } : {}) }, { isStored: true }).files;
}
