import { onTestFinished } from "vitest";
import {
  type KubernetesHub,
  type KubernetesHubOptions,
  kubernetesHub,
} from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type ApiScript, kubeConfigFor, type ScriptedApi, scriptedApi } from "./scripted-api.ts";

/** A hub with a scripted API server, until the running test ends. */
export async function scriptedHub(
  script: ApiScript,
  options: KubernetesHubOptions = {},
): Promise<Readonly<{ hub: KubernetesHub; api: ScriptedApi }>> {
  const api = await scriptedApi(script);
  const hub = kubernetesHub(kubeConfigFor(api.url, { token: "first" }), options);
  onTestFinished(() => hub.close());
  return { hub, api };
}

/** The Image object of the cluster, as a scripted API server has it. */
export const clusterImage = {
  apiVersion: "config.openshift.io/v1",
  kind: "Image",
  metadata: { name: "cluster", uid: "u1", resourceVersion: "1" },
  spec: {},
};
