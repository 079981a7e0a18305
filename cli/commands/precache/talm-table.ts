import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { precachingOwner } from "#shared/domain/precache-plan/precaching-owner.ts";
import { namesText } from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";

const maxNamed = 3;

/** TALM's status has no other list of clusters. */
const statesOf = ({ status }: KubernetesObject) =>
  Object.entries(fieldsOf(fieldsOf(fieldsOf(status).precaching).status));

/** Reports whether TALM, not hubrelay, pre-caches an upgrade. */
export function isOfTalm(cgu: KubernetesObject, now: Date): boolean {
  if (plannedUpgrade(cgu)) return false;
  return statesOf(cgu).length > 0 || precachingOwner(cgu, [], now).by === "talm";
}

/** Renders an upgrade that TALM pre-caches: for each state that TALM reports, the number and some names of clusters. */
export function talmTable(cgu: KubernetesObject): SafeText {
  const byState = Map.groupBy(statesOf(cgu), ([, state]) => sentence`${String(state)}`);
  const lines = [...byState].map(([state, clusters]) => {
    const first = clusters.slice(0, maxNamed).map(([cluster]) => cluster);
    return safe`  ${state}  ${counted(clusters.length, "cluster")}: ${namesText({ first, count: clusters.length })}\n`;
  });
  const none = lines.length === 0 ? ", and has no states yet" : "";
  return safe`${namespacedName(cgu.metadata)}: TALM pre-caches it${none}\n${lines}`;
}
