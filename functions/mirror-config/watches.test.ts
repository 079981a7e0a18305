import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { mirrorConfigWatches } from "./watches.ts";

test.for([
  { kind: kinds.ImageTagMirrorSet, name: "any", key: "cluster" },
  { kind: kinds.MachineConfig, name: "99-worker-generated-registries", key: "cluster" },
  { kind: kinds.MachineConfig, name: "rendered-worker-1f2e", key: undefined },
  { kind: kinds.Event, name: "any", key: undefined },
])("When a $kind.kind named $name changes, it should map to $key", ({ kind, name, key }) => {
  expect(mirrorConfigWatches.mapToKey({ apiVersion: kind.apiVersion, kind: kind.kind, name })).toBe(key);
});
