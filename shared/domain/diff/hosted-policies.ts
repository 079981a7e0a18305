import { readHostedCluster } from "../hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsOf } from "../hosted-clusters/nodes/node-pool.ts";
import { configMapsOf, readPoolConfig } from "../hosted-clusters/nodes/pool-config.ts";
import { withoutRepeats } from "../kubernetes/json/values.ts";
import {
  displayName,
  findStored,
  isKind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "../kubernetes/object.ts";
import { configureMirrors, type MirrorInput, shownConfiguration } from "../mirrors/configuration.ts";
import { configurePool } from "../mirrors/effective/pool-configuration.ts";
import { nodeRulesOf } from "../ready/hosted-rules.ts";
import { sentence } from "../text/redact.ts";
import { type PolicyChange, pullChanges } from "./policy-change.ts";

type Objects = readonly KubernetesObject[];

const filesOf = (input: MirrorInput) =>
  configurePool({ name: "worker" }, input, shownConfiguration(configureMirrors(input))).files;

/** Returns mirror rules by node pool (empty name for nodes without a pool); omits pools with unread ConfigMaps. */
function rulesOf(object: KubernetesObject, objects: Objects): ReadonlyMap<string, MirrorInput> {
  const { cluster } = readHostedCluster(object);
  const rules = new Map([["", nodeRulesOf(cluster)]]);
  for (const pool of nodePoolsOf(cluster, objects)) {
    const { objects: own, unread } = readPoolConfig(pool, configMapsOf(objects));
    if (unread.length === 0) rules.set(pool.name, nodeRulesOf(cluster, own));
  }
  return rules;
}

/** Returns what changes in the images that nodes may pull, for each hosted cluster that both sides have. */
export function hostedPolicies(before: Objects, after: Objects): readonly PolicyChange[] {
  const clusters = after.filter((object) => isKind(kinds.HostedCluster, object));
  const found = clusters.flatMap((object) => {
    const old = findStored(object, before);
    const now = rulesOf(object, after);
    return [...(old ? rulesOf(old, before) : [])].flatMap(([pool, rules]) => {
      const changes = pullChanges(filesOf(rules), filesOf(now.get(pool) ?? rules));
      const name = displayName(referenceTo(object));
      return changes.map((change) => ({ ...change, text: sentence`${name}: ${change.text}` }));
    });
  });
  return withoutRepeats(found);
}
