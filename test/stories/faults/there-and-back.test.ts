import { expect, test } from "vitest";
import { byCodeUnit, isRecord } from "#shared/domain/json/values.ts";
import {
  displayName,
  type Kind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import { countRun } from "../../support/setup/soak.ts";

type Variant = Readonly<{ path: string; value: unknown }>;

/** Returns another value of the same type, and one of another type. */
function othersOf(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [`${value}x`, 7];
  if (typeof value === "number") return [value + 1, "x"];
  return typeof value === "boolean" ? [!value, "x"] : [];
}

/** Returns a value with each of its leaves changed, one at a time. */
function variantsOf(value: unknown, path = ""): readonly Variant[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      variantsOf(item, `${path}[${index}]`).map((inner) => ({
        ...inner,
        value: value.with(index, inner.value),
      })),
    );
  if (!isRecord(value)) return othersOf(value).map((other) => ({ path, value: other }));
  return Object.entries(value).flatMap(([name, item]) =>
    variantsOf(item, `${path}.${name}`).map((inner) => ({
      ...inner,
      value: { ...value, [name]: inner.value },
    })),
  );
}

/** Scenarios at whose end a function derives everything from what it reads: no progress, no answer is awaited. */
const derived = new Set([
  "mirror-config newMirrors",
  "hosted-clusters lateCapability",
  "precache-plan requested",
  "precache-plan changedConfig",
]);
/** As with TALM, a condition whose status changes moves to the end: the order of conditions is the order of events. */
function withoutOrder(_field: string, value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.conditions)) return value;
  return { ...value, conditions: value.conditions.toSorted((a, b) => byCodeUnit(a.type, b.type)) };
}

/** What people write. */
const sources = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.Image,
  kinds.HostedCluster,
  kinds.Policy,
  kinds.PreCachingConfig,
  kinds.ClusterGroupUpgrade,
];

test.for(scenarios.filter(([name, title]) => derived.has(`${name} ${title}`)))(
  "When any field of a source is changed and changed back after %s has done %s, the result should be as before",
  async ([, , scenario]) => {
    const recorder = disturbing((ports) => ports);
    const ran = await scenario(recorder);
    const settle = async () => {
      await recorder.unrecorded(() => ran.settleByTick(0));
      await recorder.unrecorded(() => ran.settleByTick(0));
      const { hub, guest } = await endOf(ran);
      return JSON.parse(JSON.stringify({ hub, guest }, withoutOrder));
    };
    const before = await settle();
    const setSpec = (kind: Kind, { metadata }: KubernetesObject, spec: unknown) => {
      const present = ran.hub.find(kind, metadata.name, metadata.namespace);
      if (present) ran.hub.put({ ...present, spec });
    };
    let changes = 0;
    for (const kind of sources)
      for (const object of ran.hub.all(kind))
        for (const { path, value } of variantsOf(object.spec)) {
          changes++;
          countRun("a field changed and changed back");
          setSpec(kind, object, value);
          await settle();
          setSpec(kind, object, object.spec);
          expect(await settle(), `${displayName(referenceTo(object))} spec${path}`).toEqual(before);
        }
    expect(changes).toBeGreaterThan(3);
  },
);
