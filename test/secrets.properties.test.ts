import type { Context } from "aws-lambda";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { jsonLog } from "#shared/adapters/telemetry/json-log.ts";
import { httpUpdateGraph } from "#shared/adapters/update-graph/http-update-graph.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { UpdateGraph } from "#shared/ports/update-graph.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { validHostedClusterSpec } from "./support/hosted-clusters/hosted-cluster-spec.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "./support/hub/objects.ts";
import { aSecret, credentialForms, tracesOf } from "./support/messages/credential-forms.ts";
import { leakFinder, plantedManifests } from "./support/messages/planted-manifests.ts";
import { sendingQueue } from "./support/messages/sending-queue.ts";
import { aRecord } from "./support/messages/sqs-record.ts";
import { annotated } from "./support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "./support/precache/precache-plan-objects.ts";
import { aWindow } from "./support/precache/precache-windows.ts";

/** Returns the status of an object as a text, without the plan in it: that is content, which docs/explanation/security.md exempts. */
function statusOf({ status }: KubernetesObject): string {
  if (!isRecord(status) || !isRecord(status.precaching)) return JSON.stringify(status) ?? "";
  const { spec: _plan, ...precaching } = status.precaching;
  return JSON.stringify({ ...status, precaching });
}

/** The URL of a graph without releases; nothing listens at any other. */
const emptyGraph = "http://127.0.0.1:1/empty";

/** Runs a function once on a hub with these objects; returns all that it has written, sent and logged. */
async function outputsOf(
  controller: Controller,
  objects: readonly KubernetesObject[],
  bodies: readonly string[],
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const now = () => new Date("2026-03-01T02:00:00Z");
  const hub = memoryHub({ id: "urn:test:hub", now });
  for (const object of objects) hub.put(object);
  const log: string[] = [];
  const outcomes: unknown[] = [];
  const queue = sendingQueue(controller.queue, async () => undefined);
  const dead: unknown[] = [];
  const deadLetters = sendingQueue("dead-letters", async (messages) => {
    dead.push(...messages.map(({ attributes }) => attributes));
  });
  const server = httpUpdateGraph({ environment: {}, userAgent: "test", timeoutMs: 5_000 });
  const updateGraph: UpdateGraph = {
    ask: async (query) =>
      query.upstream === emptyGraph ? { ok: true, image: undefined } : server.ask(query),
  };
  const handler = hubEventHandler(controller, {
    hub,
    queue,
    queueNamed: () => queue,
    deadLetters,
    external: { ...noExternalPorts, updateGraph },
    outcomes: {
      publish: async (events) => {
        outcomes.push(...events);
      },
    },
    log: jsonLog((line) => log.push(line), { level: "debug" }),
    now,
  });
  await handler({ Records: bodies.map((body, index) => aRecord(`m${index}`, body)) }, {} as Context);
  server.close();
  const withStatus = [kinds.ClusterGroupUpgrade, kinds.MaintenanceWindow];
  const objectsWithStatus = (await Promise.all(withStatus.map((kind) => hub.list(kind)))).flat();
  return {
    log,
    outcomes,
    dead,
    events: await hub.list(kinds.Event),
    statuses: objectsWithStatus.map(statusOf),
  };
}

const reference = (data: object, more: object = {}) =>
  JSON.stringify({
    specversion: "1.0",
    type: "dev.knative.apiserver.ref.update",
    source: "urn:test:hub",
    id: "1",
    data: { apiVersion: "v1", kind: "Thing", name: "one", ...data },
    ...more,
  });
const upgrade = reference({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  name: "upgrade",
  namespace: "ztp",
});
const mirrors = reference({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  name: "planted",
});

const wanted = (spec: Readonly<Record<string, unknown>>) =>
  aPolicy("platform", [
    aWantedRelease({
      upstream: emptyGraph,
      channel: "stable-4.20",
      desiredUpdate: { version: "4.20.3" },
      ...spec,
    }),
  ]);
const withImage = aPolicy("platform", [aWantedRelease()]);
const planning = (policy: KubernetesObject, config: Readonly<Record<string, unknown>> = {}) =>
  outputsOf(
    precachePlan,
    [
      anUpgrade({ preCachingConfigRef: { name: "config" } }, { annotations: annotated }),
      policy,
      aPreCachingConfig(config),
      aManagedCluster("sno1"),
      aManagedCluster("sno2"),
      aClusterVersion(),
    ],
    [upgrade],
  );
const mirroring = (rule: Readonly<{ source: string; mirrors: readonly string[] }>, more: object = {}) =>
  outputsOf(
    mirrorConfig,
    [aPool("worker"), aClusterVersion(), anImageConfig(), aDigestMirrorSet("planted", [rule], more)],
    [mirrors],
  );

const hosting = (spec: object, metadata: object = {}) =>
  outputsOf(
    hostedClusters,
    [
      {
        ...kinds.HostedCluster,
        metadata: { namespace: "clusters", name: "shop", ...metadata },
        spec: { ...validHostedClusterSpec, ...spec },
      },
      aClusterVersion(),
      anImageConfig(),
    ],
    [
      reference({
        apiVersion: "hypershift.openshift.io/v1beta1",
        kind: "HostedCluster",
        name: "shop",
        namespace: "clusters",
      }),
    ],
  );
const opening = (spec: Readonly<Record<string, unknown>>) =>
  outputsOf(
    maintenanceWindow,
    [aWindow("night", spec)],
    [
      reference({
        apiVersion: "hubrelay.dev/v1alpha1",
        kind: "MaintenanceWindow",
        name: "night",
        namespace: "default",
      }),
    ],
  );

/** Where a person, or a hostile client, may put such a text. */
const inputs: Readonly<Record<string, (text: string) => ReturnType<typeof outputsOf>>> = {
  "the upstream of a release": (upstream) => planning(wanted({ upstream })),
  "the channel of a release": (channel) => planning(wanted({ channel })),
  "the version of a release": (version) => planning(wanted({ desiredUpdate: { version } })),
  "a size of a PreCachingConfig": (spaceRequired) => planning(withImage, { spaceRequired }),
  // Each line is a pattern.
  "a pattern of a PreCachingConfig": (pattern) =>
    planning(withImage, { excludePrecachePatterns: [`\\(${pattern.replaceAll("\n", " ")}`, ""] }),
  "an override of a PreCachingConfig": (platformImage) =>
    planning(withImage, { overrides: { platformImage: `${platformImage}@sha256:0` } }),
  "an image of a PreCachingConfig": (image) => planning(withImage, { additionalImages: [image, ""] }),
  "the source of a mirror set": (source) => mirroring({ source, mirrors: ["mirror.example.com/acme"] }),
  "a mirror of a mirror set": (mirror) => mirroring({ source: "quay.io/acme", mirrors: [mirror] }),
  "an annotation": (note) =>
    mirroring({ source: "quay.io/x:v1", mirrors: ["mirror.example.com"] }, { annotations: { note } }),
  "the release of a hosted cluster": (image) => hosting({ release: { image } }),
  "the mirrors of a hosted cluster": (mirror) =>
    hosting({ imageContentSources: [{ source: "quay.io/acme", mirrors: [mirror] }] }),
  "the pause of a hosted cluster": (pausedUntil) => hosting({ pausedUntil }),
  "a hand-over of a hosted cluster": (value) =>
    hosting({}, { annotations: { "hubrelay.dev/image-content-sources": value } }),
  "the schedule of a window": (schedule) => opening({ schedule }),
  "the time zone of a window": (timeZone) => opening({ timeZone }),
  "the exclusions of a window": (reason) =>
    opening({ exclusions: [{ from: "2026-03-01", to: "2026-03-01", reason }] }),
  "the type of a message": (type) => outputsOf(mirrorConfig, [], [reference({}, { type })]),
  "the name in a message": (name) => outputsOf(mirrorConfig, [], [reference({ name })]),
  "a message": (body) => outputsOf(precachePlan, [], [body]),
};

const textOf = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value) ?? "").join("\n");

/** Returns the values that contain a secret. */
const tracesIn = (values: readonly unknown[], secret: string) =>
  values
    .map((value) => JSON.stringify(value) ?? "")
    .filter((text) => tracesOf(secret).some((trace) => text.includes(trace)));

test.for(Object.keys(inputs))(
  "When %s contains a credential of any known form, no output should contain it",
  async (place) => {
    const input = inputs[place];
    const forms = Object.entries(credentialForms);
    await fc.assert(
      fc.asyncProperty(fc.tuple(...forms.map(() => aSecret)), async (secrets) => {
        for (const [index, [form, write]] of forms.entries()) {
          const hidden = secrets[index] ?? "";
          const outputs = await input?.(write(hidden));
          for (const [way, values] of Object.entries(outputs ?? {}))
            expect(tracesIn(values, hidden), `${form} in ${way}`).toEqual([]);
          expect(outputs?.log?.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
);

test.for(controllers.map((controller) => ({ controller, name: controller.name })))(
  "When objects of every kind contain credentials anywhere, no output of $name should contain them",
  async ({ controller }) => {
    await fc.assert(
      fc.asyncProperty(plantedManifests(), async (manifests) => {
        // No API server has an object with such a name. Events are outputs: those that are there would count as written.
        const stored = manifests.filter(
          ({ object: { kind, metadata }, secret }) =>
            kind !== "Event" && tracesIn([metadata.name, metadata.namespace], secret).length === 0,
        );
        const bodies = stored.map(({ object: { apiVersion, kind, metadata } }) =>
          reference({ apiVersion, kind, name: metadata.name, namespace: metadata.namespace }),
        );
        const objects = stored.map(({ object }) => object);
        const leaksIn = leakFinder(stored);
        const { statuses = [], ...outputs } = await outputsOf(controller, objects, bodies);
        for (const [way, values] of Object.entries(outputs)) expect(leaksIn(textOf(values)), way).toEqual([]);
        const written = new Set(statuses);
        for (const object of objects) written.delete(statusOf(object));
        expect(leaksIn(textOf([...written]))).toEqual([]);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  },
);
