import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isRecord, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { conditionTypes } from "#shared/domain/precache-model/conditions.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { planPrecache } from "#shared/domain/precache-plan/plan-precache.ts";
import {
  type GraphLookup,
  graphUrl,
  parseGraph,
} from "#shared/domain/precache-plan/policies/update-graph.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";
import { paths } from "../../infra/paths.ts";
import { aspectsOf, differences, type Planned, type Result } from "../support/precache/plan-differences.ts";
import { digestOf } from "../support/precache/precache-plan-objects.ts";
import { randomPlanningHubs } from "../support/precache/random-plans.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";

/*
 * TALM's own reconciler, of release 4.17, plans the same hubs. It has the rule of the profile `standard` for overrides, and
 * goes on to start clusters and rollouts, which planning does not. hubrelay's plan is equal, but for a table of differences
 * with their reasons.
 */

type Condition = Readonly<Record<"type" | "status" | "reason" | "message", string>>;
type TalmsPlan = Readonly<{
  conditions: readonly Condition[] | null;
  precaching: Readonly<{ spec?: object; status?: Readonly<Record<string, string>> }>;
  clusters: readonly string[] | null;
  fails?: string;
}>;

const graph = JSON.stringify({
  nodes: [
    { version: "4.20.3", payload: `quay.io/acme/release@${digestOf("1")}` },
    { version: "4.20.4", payload: `quay.io/acme/release@${digestOf("5")}` },
  ],
});

/** Returns the server's response. A channel that is a template makes no line of HTTP, which the server refuses. */
const lookup: GraphLookup = (query) => {
  const isMalformed = /\s/.test(query.channel);
  if (query.upstream.endsWith("/graph") && !isMalformed) return parseGraph(graph, query);
  const status = isMalformed ? 400 : 500;
  return { ok: false, message: `error response from update graph url ${graphUrl(query)}: ${status}` };
};

const ofPlanning: readonly string[] = [
  conditionTypes.clustersSelected,
  conditionTypes.validated,
  conditionTypes.precacheSpecValid,
  conditionTypes.precachingSucceeded,
];

/** TALM counts the clusters that it has started in the same reconcile. */
const textOf = ({ type, status, reason, message }: Condition) =>
  [type, status, reason, ...(type === conditionTypes.precachingSucceeded ? [] : [message])]
    .join(" | ")
    // The libraries of later releases write it as null.
    .replace("[]string(nil)", "null")
    // A manager reads from its cache, which names the kind.
    .replace("to precachingconfigs.ran", "to PreCachingConfig.ran");

/** Returns what both make of a hub. */
function planned(hub: readonly KubernetesObject[], talms: TalmsPlan): Planned {
  const [input] = planInputsOf(hub, "4.20.3");
  if (!input) throw new Error("the hub has no ClusterGroupUpgrade");
  const { plan } = planPrecache({ ...input, lookup });
  const isStarted = plan.conditions.some(({ type }) => type === conditionTypes.precachingSucceeded);
  const going = plan.clusters.flatMap(({ name, action }) => (action === "precache" ? name : []));
  return {
    hub,
    talm: resultOf(talms),
    own: {
      fails: false,
      conditions: plan.conditions.map(textOf),
      clusters: isStarted ? going : [],
      spec: isStarted ? withoutEmpty(plan.spec) : {},
    },
    selected: plan.clusters.map(({ name }) => name),
    codes: plan.issues.flatMap(({ code, severity }) => (severity === "error" ? code : [])),
  };
}

function resultOf({ conditions, precaching, clusters, fails }: TalmsPlan): Result {
  const found = (conditions ?? []).filter(({ type }) => ofPlanning.includes(type));
  const isStarted = found.some(({ type }) => type === conditionTypes.precachingSucceeded);
  return {
    fails: fails !== undefined,
    conditions: found.map(textOf),
    clusters: isStarted ? (clusters ?? []) : [],
    spec: isStarted ? withoutEmpty(precaching.spec ?? {}) : {},
  };
}

/** TALM's API drops empty fields. */
function withoutEmpty(spec: object): Result["spec"] {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value.length > 0));
}

/** Returns the paths of the fields of a definition; `[]` stands for the items of a list. */
function pathsIn(schema: UnknownRecord, path: string): string[] {
  const { items, properties } = schema;
  if (isRecord(items)) return pathsIn(items, `${path}[]`);
  if (!isRecord(properties)) return [path];
  return Object.entries(properties).flatMap(([name, one]) =>
    isRecord(one) ? pathsIn(one, `${path}.${name}`) : [],
  );
}

const isSeveral = (times: number) => times > 3;

describe("pre-cache plans against TALM's own reconciler", () => {
  let peer: Oracle;
  let server: Server;
  let graphs = "";
  beforeAll(async () => {
    server = createServer(({ url = "" }, response) => {
      response.statusCode = url.startsWith("/graph") ? 200 : 500;
      response.end(graph);
    });
    graphs = `http://127.0.0.1:${await listenOnFreePort(server)}`;
    peer = await startOracle("plans");
  }, 900_000);
  afterAll(async () => {
    await peer[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });

  test("When hubs are planned, what differs from TALM's conditions, clusters and content should be in the table", async () => {
    const seen = new Map<string, number>();
    const differing = new Map(differences.map((row) => [row, 0]));
    let equal = 0;
    // Each of TALM's reconciles begins with a pause, so that many hubs are planned at the same time.
    const hubs = fc.array(randomPlanningHubs(graphs), { minLength: 1, maxLength: 300, size: "max" });
    await fc.assert(
      fc.asyncProperty(hubs, async (batch) => {
        const { plans } = (await peer.ask({ hubs: batch })) as Readonly<{ plans: readonly TalmsPlan[] }>;
        expect(plans).toHaveLength(batch.length);
        for (const [index, talms] of plans.entries()) {
          const both = planned(batch[index] ?? [], talms);
          const aspects = aspectsOf(both);
          if (aspects.length === 0) equal += 1;
          for (const aspect of aspects) {
            const rows = differences.filter((row) => row.of === aspect && row.when(both));
            if (rows.length === 0) expect({ aspect, ...both.own }).toEqual({ aspect, ...both.talm });
            for (const row of rows) differing.set(row, (differing.get(row) ?? 0) + 1);
          }
          const [, , reason = "fails"] = both.talm.conditions.at(-1)?.split(" | ") ?? [];
          seen.set(reason, (seen.get(reason) ?? 0) + 1);
        }
      }),
      { seed: 20260822, numRuns: 12 },
    );
    // What never comes up is not compared.
    expect(Object.fromEntries(seen)).toEqual({
      fails: expect.toSatisfy(isSeveral),
      ClusterNotFound: expect.toSatisfy(isSeveral),
      NotAllManagedPoliciesExist: expect.toSatisfy(isSeveral),
      AmbiguousManagedPoliciesNames: expect.toSatisfy(isSeveral),
      InvalidPlatformImage: expect.toSatisfy(isSeveral),
      UnresolvableDenpendency: expect.toSatisfy(isSeveral),
      ValidationCompleted: expect.toSatisfy(isSeveral),
      PrecacheSpecIncomplete: expect.toSatisfy(isSeveral),
      InProgress: expect.toSatisfy((times: number) => times > 150),
    });
    const all = [...seen.values()].reduce((sum, times) => sum + times);
    expect(all).toBeGreaterThan(1_000);
    expect(equal).toBeGreaterThan(all / 2);
    expect([...differing].flatMap(([{ what }, times]) => (times > 0 ? [] : what))).toEqual([]);
  });

  test.for(["ClusterGroupUpgrade", "PreCachingConfig"])(
    "When hubrelay defines a %s, its fields should be those of TALM's type",
    async (kind) => {
      const file = join(paths.root, `infra/crds/talm/${kind.toLowerCase()}s.yaml`);
      const { spec } = parse(await readFile(file, "utf8"));
      const { properties } = spec.versions[0].schema.openAPIV3Schema;
      const { fields } = (await peer.ask({ kind })) as Readonly<{ fields: readonly string[] }>;
      expect(pathsIn(properties.spec, "spec").sort()).toEqual([...fields].sort());
    },
  );
});
