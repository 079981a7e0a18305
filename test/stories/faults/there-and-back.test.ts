import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { byCodeUnit, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  type Kind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { olderHub } from "../../support/faults/older-hub.ts";
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

/**
 * Runs a scenario, then changes each field of a source and changes it back, and yields what is left each time. Where the
 * way back is missed, processes read the hub as it was before it.
 */
async function* walk([, , scenario]: (typeof scenarios)[number], { isBackMissed = false } = {}) {
  let seen = Number.POSITIVE_INFINITY;
  const { around, ...recorder } = disturbing((ports) => ports);
  const ran = await scenario({
    ...recorder,
    around: (ports, controller, changes) =>
      around(
        seen < changes.length ? { ...ports, hub: olderHub(ports.hub, changes.slice(0, seen)) } : ports,
        controller,
        changes,
      ),
  });
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
  for (const kind of sources)
    for (const object of ran.hub.all(kind))
      for (const { path, value } of variantsOf(object.spec)) {
        setSpec(kind, object, value);
        await settle();
        if (isBackMissed) seen = ran.changes.length;
        setSpec(kind, object, object.spec);
        const after = await settle();
        seen = Number.POSITIVE_INFINITY;
        yield { what: `${displayName(referenceTo(object))} spec${path}`, before, after };
      }
}

const walked = scenarios.filter(([name, title]) => derived.has(`${name} ${title}`));

test.for(walked)(
  "When any field of a source is changed and changed back after %s has done %s, the result should be as before",
  async (scenario) => {
    let changes = 0;
    for await (const { what, before, after } of walk(scenario)) {
      changes++;
      countRun("a field changed and changed back");
      expect(after, what).toEqual(before);
    }
    expect(changes).toBeGreaterThan(3);
  },
);

test.for(walked)(
  "When %s after %s missed the way back, the same should not be as before",
  async (scenario) => {
    for await (const { before, after } of walk(scenario, { isBackMissed: true }))
      if (!isDeepStrictEqual(after, before)) return;
    expect.fail("the way back makes no difference");
  },
);
