import {
  type KubernetesObject as ClientObject,
  CustomObjectsApi,
  KubeConfig,
  type ListPromise,
  makeInformer,
} from "@kubernetes/client-node";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { startQueueWorker } from "#shared/adapters/queue-worker/queue-worker.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { applyPlan } from "#shared/runtime/apply-plan.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { follow, followed, markAnnotation, markOf } from "./follow.ts";

/** The arguments of the process: a mode, and the path of a kubeconfig. */
const [mode = "", kubeConfigFile = ""] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const config = new KubeConfig();
config.loadFromFile(kubeConfigFile);
const report = (event: string, more: object = {}) => console.log(JSON.stringify({ event, ...more }));
const log = (entry: { event: string }) => {
  if (entry.event === "synced") report("synced");
  if (entry.event === "failed" || entry.event === "retry") console.error(JSON.stringify(entry));
};

async function withHubrelay(): Promise<void> {
  const hub = kubernetesHub(config);
  const messaging = await startEmbeddedMessaging({ queues: [follow.queue], topic: "unused" });
  const queue = messaging.queue(follow.queue);
  const outcomes = { publish: async () => undefined };
  const ports = { hub, external: {}, queue, deadLetters: queue, outcomes, log, now: () => new Date() };
  const onError = (error: unknown) => console.error(error);
  const worker = startQueueWorker({
    sqs: messaging.sqs,
    queueUrl: queue.url,
    handler: hubEventHandler(follow, ports),
    onError,
  });
  await forwardChanges({ hub, allWatches: [follow], queue: () => queue, signal: stop.signal, log });
  await worker.stop();
  await messaging.stop();
}

async function withBareWatch(): Promise<void> {
  const hub = kubernetesHub(config);
  for await (const change of hub.watch(kinds.ImageDigestMirrorSet, stop.signal)) {
    if (change.verb === "synced") report("synced");
    else if (change.object.metadata.name === followed)
      await applyPlan(await follow.plan({ hub, key: followed, now: new Date(), external: {} }), followed, {
        hub,
        external: {},
        log,
      });
  }
}

/** The client's own type is not used, since it has dates where the API sends strings. */
type Listed = Awaited<ReturnType<ListPromise<ClientObject>>>;

/** Copies the annotation of `follow` as a user's program would: with the client library's informer. */
async function withInformer(): Promise<void> {
  const api = config.makeApiClient(CustomObjectsApi);
  const [group = "", version = ""] = kinds.ImageDigestMirrorSet.apiVersion.split("/");
  const sources = { group, version, plural: kinds.ImageDigestMirrorSet.plural };
  const targets = { group, version, plural: kinds.ImageTagMirrorSet.plural };
  const keys = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const add = ({ metadata }: { metadata?: { name?: string } }) => {
    if (metadata?.name !== followed) return;
    keys.add(followed);
    wake.resolve();
  };
  const list = (): Promise<Listed> => api.listClusterCustomObject(sources);
  const path = `/apis/${group}/${version}/${sources.plural}`;
  const informer = makeInformer(config, path, list);
  informer.on("add", add);
  informer.on("update", add);
  informer.on("connect", () => report("synced"));
  informer.on("error", (error) => {
    if (!stop.signal.aborted) console.error(error);
  });
  await informer.start();
  stop.signal.addEventListener("abort", () => {
    informer.stop();
    wake.resolve();
  });
  while (!stop.signal.aborted) {
    await wake.promise;
    wake = Promise.withResolvers();
    for (const name of keys) {
      keys.delete(name);
      const target: KubernetesObject = await api.getClusterCustomObject({ ...targets, name });
      const source: KubernetesObject = await api.getClusterCustomObject({ ...sources, name });
      const mark = markOf(source);
      if (mark === undefined || markOf(target) === mark) continue;
      const annotations = { ...target.metadata.annotations, [markAnnotation]: mark };
      const body = { ...target, metadata: { ...target.metadata, annotations } };
      await api.replaceClusterCustomObject({ ...targets, name, body });
    }
  }
}

const modes: Readonly<Record<string, () => Promise<void>>> = {
  hubrelay: withHubrelay,
  bare: withBareWatch,
  informer: withInformer,
};
await modes[mode]?.();
report("memory", { peakMiB: process.resourceUsage().maxRSS / 1024 });
process.exit();
