import { precachePlan } from "#functions/precache-plan/controller.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { createObject } from "../hub/create-object.ts";
import { heldQueue } from "../messages/held-queue.ts";
import { mappedKeys } from "../messages/mapped-keys.ts";
import { quietPorts } from "../messages/quiet-ports.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../precache/precache-plan-objects.ts";
import { reportsOf } from "../precache/precache-reports.ts";

const name = "planned";

/** Makes precache-plan send every request that it ever makes; `namespace` must exist. */
export async function tourOfPrecachePlan(hub: Hub, person: Hub, namespace: string): Promise<void> {
  const plan = (key: string) => {
    const { queue, open } = heldQueue();
    open();
    const now = () => new Date("2026-03-01T02:00:00Z");
    return reconcile(precachePlan, key, {
      ...quietPorts(hub, now),
      queueNamed: () => queue,
    });
  };
  const key = `${namespace}/${name}`;
  const annotations = {
    "hubrelay.dev/enable-after-precaching": "now",
    "hubrelay.dev/maintenance-window": "night",
  };
  const reference = { preCachingConfigRef: { name } };

  await createObject(
    person,
    aPolicy("platform", [aWantedRelease()], { sno1: "NonCompliant" }, { namespace }),
  );
  await createObject(person, aManagedCluster("sno1"));
  const cgu = await createObject(
    person,
    anUpgrade({ clusters: ["sno1"], ...reference }, { name, namespace, annotations }),
  );
  // The PreCachingConfig is missing, which an Event reports; then it exists, and requests another workload.
  await plan(key);
  const stored = await createObject(
    person,
    aPreCachingConfig({ additionalImages: ["busybox"] }, { name, namespace }),
  );
  await plan(key);
  // Another error of the same kind: its Event counts up.
  const still = await person.update({ ...stored, spec: { additionalImages: ["alpine"] } });
  await plan(key);
  const overrides = { preCacheImage: "quay.io/acme/workload:v1" };
  await person.update({ ...still, spec: { overrides } });
  const { apiVersion, kind } = kinds.PreCachingConfig;
  for (const mapped of await mappedKeys(precachePlan, { apiVersion, kind, namespace, name }, hub))
    await plan(mapped.name);

  // A rollout of templates.
  const templates = { clusters: ["sno1"], managedPolicies: [], manifestWorkTemplates: ["missing"] };
  await createObject(person, anUpgrade(templates, { name: "templates", namespace }));
  await plan(`${namespace}/templates`);

  const present = (await person.get(kinds.ClusterGroupUpgrade, name, namespace)) ?? cgu;
  const selectors = { clusters: undefined, clusterLabelSelectors: [{ matchLabels: { name: "sno1" } }] };
  const selected = await person.update({ ...present, spec: { ...Object(present.spec), ...selectors } });
  await plan(key);
  const { conditions = [], ...status } = Object(
    (await person.get(kinds.ClusterGroupUpgrade, name, namespace))?.status ?? selected.status,
  );
  const done = {
    type: "PrecachingSuceeded",
    status: "True",
    reason: "PrecachingCompleted",
    message: "Precaching is completed for all clusters",
    lastTransitionTime: "2026-03-01T02:00:00Z",
  };
  const others = conditions.filter(({ type }: { type: string }) => type !== done.type);
  const latest = await person.get(kinds.ClusterGroupUpgrade, name, namespace);
  if (!latest) throw new Error("the upgrade is gone");
  const precaching = { ...status.precaching, status: { sno1: "Succeeded" } };
  const ended = { ...status, precaching, conditions: [...others, done] };
  for (const report of reportsOf(await person.updateStatus({ ...latest, status: ended })))
    await person.create(report);
  await plan(key);
}
