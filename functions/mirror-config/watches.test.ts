import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { mirrorConfigWatches } from "./watches.ts";

test.for([
  { kind: kinds.ImageTagMirrorSet, name: "any", keys: ["cluster"] },
  { kind: kinds.MachineConfig, name: "99-worker-generated-registries", keys: ["cluster"] },
  { kind: kinds.MachineConfig, name: "rendered-worker-1f2e", keys: [] },
  { kind: kinds.Event, name: "any", keys: [] },
])("When the $kind.kind named $name changes, it should map to $keys", async ({ kind, name, keys }) => {
  const reference = { apiVersion: kind.apiVersion, kind: kind.kind, name };
  expect((await mappedKeys(mirrorConfigWatches, reference)).map((key) => key.name)).toEqual(keys);
});
