import { expect, test } from "vitest";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { drainOverride } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { aNodePool } from "../../test/support/hosted-clusters/node-pools.ts";
import { readHub } from "./hub-objects.ts";

const configMap = (name: string, namespace = "clusters"): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name },
  data: { config: "" },
});
const pool = (name: string, ...config: readonly string[]) =>
  aNodePool(name, { config: config.map((one) => ({ name: one })) });

/** A hub whose ConfigMaps may not be read if it `forbids` them, and the requests for these. */
function aHub(objects: readonly KubernetesObject[], forbids = false) {
  const asked: string[] = [];
  const inner = manifestHub("test", objects);
  const permit = (kind: unknown, request: string) => {
    if (kind !== kinds.ConfigMap) return;
    asked.push(request);
    if (forbids) throw new HubError("Forbidden", "no");
  };
  const hub: HubReader = {
    ...inner,
    async get(kind, name, namespace) {
      permit(kind, `get ${namespace}/${name}`);
      return inner.get(kind, name, namespace);
    },
    async list(kind, options) {
      permit(kind, `list ${options?.namespace}`);
      return inner.list(kind, options);
    },
  };
  return { hub, asked };
}
const namesOf = (objects: readonly KubernetesObject[]) =>
  objects.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name);

test.for<{ pools: readonly KubernetesObject[]; asked: readonly string[]; found: readonly string[] }>([
  { pools: [pool("blue")], asked: [], found: [] },
  { pools: [pool("blue", "a")], asked: ["get clusters/a"], found: ["a"] },
  { pools: [pool("blue", "gone")], asked: ["get clusters/gone"], found: [] },
  {
    pools: [pool("blue", "a", "b"), pool("red", "b", "c")],
    asked: ["list clusters"],
    found: ["a", "b", "c"],
  },
])(
  "When NodePools name $found, one request of a namespace should find them",
  async ({ pools, asked, found }) => {
    const given = aHub([...pools, ...["a", "b", "c", "config"].map((name) => configMap(name))]);
    const { objects, unread } = await readHub(given.hub, [kinds.NodePool]);
    expect([given.asked, namesOf(objects), unread]).toEqual([asked, found, []]);
  },
);

test("When ConfigMaps may not be read, each that is named should be unread", async () => {
  const { hub } = aHub([pool("blue", "a", "b")], true);
  const { unread } = await readHub(hub, [], [kinds.NodePool], drainOverride);
  expect(unread).toEqual(
    ["clusters/a", "clusters/b", "openshift-machine-config-operator/image-registry-override-drain"].map(
      (name) => ({ what: `ConfigMap/${name}`, why: "permission", count: 1 }),
    ),
  );
});

test("When a ConfigMap is asked for by its name, it should be read if it exists", async () => {
  const { name, namespace } = drainOverride;
  const read = async (objects: readonly KubernetesObject[]) =>
    namesOf((await readHub(aHub(objects).hub, [], [], drainOverride)).objects);
  expect([await read([]), await read([configMap(name, namespace)])]).toEqual([[], [name]]);
});
