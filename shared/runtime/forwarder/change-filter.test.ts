import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import type { Watch } from "../controller.ts";
import { changeFilter } from "./change-filter.ts";

const anObject = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
});

test.for([
  { what: "fingerprint", failing: { fingerprint: () => JSON.parse("{") } },
  { what: "refersTo", failing: { refersTo: () => JSON.parse("{") } },
])(
  "When $what fails on an object, it should pass the object on, so that the watch does not end",
  ({ failing }) => {
    const watch: Watch = { kind: kinds.ConfigMap, mapToKeys: () => [], ...failing };
    const isChange = changeFilter(watch);
    expect(isChange({ verb: "update", object: anObject("a") })).toBe(true);
    expect(isChange({ verb: "update", object: anObject("a") })).toBe(true);
  },
);
