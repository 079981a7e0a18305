import type { KubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { type Run, runOf } from "#shared/domain/precache-model/work-identity.ts";
import { untilObject } from "../observe/until.ts";
import { upgradeTable } from "../observe/upgrade-table.ts";
import type { TestHub } from "./hub.ts";

/** The state of each cluster, as in `status.precaching.status`. */
export const statesOf = ({ status }: KubernetesObject): Readonly<Record<string, string>> =>
  Object(status).precaching?.status ?? {};

/** Follows one ClusterGroupUpgrade of a hub as a person does; `patienceMs` is one minute by default. */
export function followUpgrade(
  server: TestHub,
  hub: KubernetesHub,
  identity: Readonly<{ name: string; namespace: string }>,
) {
  const { name, namespace } = identity;
  return {
    /** Returns the upgrade as soon as the states of its clusters are as expected. */
    until: (
      isWanted: (states: Readonly<Record<string, string>>, cgu: KubernetesObject) => boolean,
      patienceMs?: number,
    ): Promise<KubernetesObject> =>
      untilObject(
        hub,
        kinds.ClusterGroupUpgrade,
        identity,
        (cgu) => isWanted(statesOf(cgu), cgu),
        patienceMs,
      ),

    /** Returns the record of a cluster in the upgrade's report as soon as it is as expected. */
    async untilRecord(
      cluster: string,
      isWanted: (record: Readonly<Record<string, unknown>>) => boolean,
      patienceMs?: number,
    ): Promise<unknown> {
      const [report] = await hub.list(kinds.PreCachingReport, { namespace });
      const recordIn = (object: KubernetesObject) => Object(object.clusters)[cluster] ?? {};
      const found = await untilObject(
        hub,
        kinds.PreCachingReport,
        { name: report?.metadata.name ?? "", namespace },
        (object) => isWanted(recordIn(object)),
        patienceMs,
      );
      return recordIn(found);
    },

    /** Returns the state and the details of `oc get cgu`. */
    async shown(): Promise<readonly unknown[]> {
      const { rows } = await upgradeTable(server.api, namespace);
      return rows.flatMap((cells) => cells.slice(2));
    },

    /** Returns each condition as a line, in their order. */
    async conditions(): Promise<readonly string[]> {
      const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
      const found: readonly Readonly<Record<string, string>>[] = Object(cgu?.status).conditions;
      return found.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
    },

    /** Returns the current run of a cluster on the hub. */
    async runFor(cluster: string): Promise<Run> {
      const works = await hub.list(kinds.ManifestWork, { namespace: cluster });
      const run = works[0] && runOf(works[0]);
      if (!run || works.length !== 1) throw new Error(`${cluster} has ${works.length} ManifestWorks`);
      return run;
    },
  };
}
