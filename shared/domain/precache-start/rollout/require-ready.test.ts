import { expect, test } from "vitest";
import { anUpgrade } from "../../../../test/support/precache/precache-snapshots.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { requiresReady } from "./require-ready.ts";

const upgrade = (value: string): KubernetesObject =>
  anUpgrade(["sno1"], { annotations: { "hubrelay.dev/require-ready": value } });
const { apiVersion, kind } = kinds.PreCachingConfig;
const config = (value: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: "c", annotations: { "hubrelay.dev/require-ready": value } },
});

test.for<[string, readonly KubernetesObject[], boolean]>([
  ["nothing sets it", [anUpgrade(["sno1"])], false],
  ["the upgrade sets it", [upgrade("true")], true],
  ["its PreCachingConfig sets it", [anUpgrade(["sno1"]), config("true")], true],
  ["the upgrade does not want what its PreCachingConfig sets", [upgrade("false"), config("true")], false],
])("When %s, ready images should be required: %s", ([, objects, required]) => {
  expect(requiresReady(objects)).toEqual({ required, issues: [] });
});

test.for(["", "yes", "True", " true"])("When it is %j, it should be an error, and clusters wait", (value) => {
  expect(requiresReady([upgrade(value)])).toMatchObject({
    required: true,
    issues: [
      {
        code: "RequireReadyInvalid",
        path: 'metadata.annotations["hubrelay.dev/require-ready"]',
        value,
        message:
          "It is neither true nor false; until it is fixed, clusters wait until their images are ready.",
        remedy: 'Write "true" or "false".',
      },
    ],
  });
});
