import { readHostedCluster } from "../hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster } from "../hosted-clusters/nodes/node-pool.ts";
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

type RulesByPool = ReadonlyMap<string, MirrorInput>;

/**
 * Returns a function that returns a cluster's rules by node pool, without pools whose ConfigMaps were not read. The key
 * `""` is for nodes that belong to no pool.
 */
function rulesIn(objects: Objects): (hostedCluster: KubernetesObject) => RulesByPool {
  const configMaps = configMapsOf(objects);
  const poolsOf = nodePoolsByCluster(objects);
  return (hostedCluster) => {
    const { cluster } = readHostedCluster(hostedCluster);
    const rules = new Map([["", nodeRulesOf(cluster)]]);
    for (const { pool } of poolsOf(cluster)) {
      const { objects: own, unread } = readPoolConfig(pool, configMaps);
      if (unread.length === 0) rules.set(pool.name, nodeRulesOf(cluster, own));
    }
    return rules;
  };
}

/** Returns the changes of signature policies and blocked registries for each hosted cluster that both sides have. */
export function hostedPolicies(before: Objects, after: Objects): readonly PolicyChange[] {
  const clusters = after.filter((object) => isKind(kinds.HostedCluster, object));
  const [rulesBefore, rulesAfter] = [rulesIn(before), rulesIn(after)];
  const found = clusters.flatMap((object) => {
    const old = findStored(object, before);
    const now = rulesAfter(object);
    return [...(old ? rulesBefore(old) : [])].flatMap(([pool, rules]) => {
      const changes = pullChanges(filesOf(rules), filesOf(now.get(pool) ?? rules));
      const name = displayName(referenceTo(object));
      return changes.map((change) => ({ ...change, text: sentence`${name}: ${change.text}` }));
    });
  });
  return withoutRepeats(found);
}
