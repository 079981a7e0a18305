import { expect, test } from "vitest";
import { drainOverride } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { mirrorConfigWatches } from "./watches.ts";

test.for([
  { kind: kinds.ImageTagMirrorSet, name: "any", keys: ["cluster"] },
  { kind: kinds.MachineConfig, name: "99-worker-generated-registries", keys: ["cluster"] },
  { kind: kinds.MachineConfig, name: "99-worker-tags", keys: ["cluster"] },
  { kind: kinds.MachineConfig, name: "rendered-worker-1f2e", keys: [] },
  { kind: kinds.Event, name: "any", keys: [] },
  { kind: kinds.MachineOSConfig, name: "any", keys: ["cluster"] },
  { kind: kinds.MachineOSConfigV1alpha1, name: "any", keys: ["cluster"] },
  { kind: kinds.ConfigMap, ...drainOverride, keys: ["cluster"] },
  { kind: kinds.ConfigMap, ...drainOverride, namespace: "default", keys: [] },
  { kind: kinds.ConfigMap, name: "any", namespace: drainOverride.namespace, keys: [] },
])(
  "When the $kind.kind $namespace/$name changes, it should map to $keys",
  async ({ kind, keys, ...object }) => {
    const reference = { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
    expect((await mappedKeys(mirrorConfigWatches, reference)).map((key) => key.name)).toEqual(keys);
  },
);
