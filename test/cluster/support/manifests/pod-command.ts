import { onTestFinished } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { commandFile } from "../../../support/processes/command-file.ts";
import { compileCache } from "../../../support/processes/deployment.ts";
import { type LoggingProcess, startLogging } from "../../../support/processes/process-lines.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import { tokenFor } from "../clusters/service-account.ts";
import { environmentOf } from "./pod-environment.ts";
import { podTemplates } from "./pod-templates.ts";

/** Where the overlay sqs-endpoint has its queues. */
const queueServer = "https://sqs.example.com";

type OverlayOnCluster = Readonly<{
  objects: readonly KubernetesObject[];
  server: TestCluster;
  endpoint: string;
}>;

/** What a kubelet would start for a pod of a workload. */
export type PodCommand = Readonly<{
  args: readonly string[];
  /** The pod's environment, with the queues of the test and a subscriber, which the overlay has not; without HUBRELAY_HUB and HUBRELAY_PORT of a pod. */
  environment: Readonly<Record<string, string>>;
  /** Logs in to the test's API server with a token of the pod's own account. */
  kubeConfigFile: string;
}>;

/** Returns the command of a workload of an overlay, as its objects were applied to the cluster. */
export async function podCommand(
  workload: string,
  { objects, server, endpoint }: OverlayOnCluster,
): Promise<PodCommand> {
  const template = podTemplates(objects).find(({ name }) => name === workload);
  if (!template) throw new Error(`${workload} is not in the overlay`);
  const account = template.spec.serviceAccountName ?? "";
  const token = await tokenFor(server.api, { namespace: "hubrelay", name: account });
  const { kubeConfigFile } = await server.userAccess(account, { token });
  const { HUBRELAY_HUB: _hub, HUBRELAY_PORT: _port, ...settings } = environmentOf(template, objects);
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replaceAll(queueServer, endpoint)]),
  );
  const subscribers = JSON.stringify({ outcomes: { url: `${endpoint}/000000000000/outcomes` } });
  return {
    args: template.spec.containers[0]?.args ?? [],
    environment: { ...environment, HUBRELAY_OUTCOME_SUBSCRIBERS: subscribers },
    kubeConfigFile,
  };
}

/** Starts that command until the test ends, by default of this version: `command` is the file of another one's. */
export async function startPod(
  workload: string,
  {
    command = commandFile,
    settings = {},
    ...overlay
  }: OverlayOnCluster & Readonly<{ command?: string; settings?: Readonly<Record<string, string>> }>,
): Promise<LoggingProcess> {
  const { args, environment, kubeConfigFile } = await podCommand(workload, overlay);
  const started = startLogging(command, args, {
    ...environment,
    ...settings,
    ...compileCache,
    PATH: process.env.PATH ?? "",
    HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}`,
    HUBRELAY_PORT: "0",
  });
  onTestFinished(async () => {
    await started.end("SIGKILL");
  });
  return started;
}
