import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Crd } from "./crds.ts";
import { looseCrd } from "./loose-crd.ts";

/*
 * Kinds that oc-mirror writes and whose CRDs are in no module that the Go proxy serves: their fields, limits and defaults
 * in hubrelay's words. An unknown field is refused. Source: the types of both APIs in openshift/oc-mirror,
 * internal/pkg/api/operator-framework/v1 and internal/pkg/clusterresources/updateservice/v1, 2026-08.
 */

const whole = (properties: Readonly<Record<string, object>>, required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string", minLength: 1 };
const withSpec = (spec: object) => whole({ spec }, ["spec"]);

const imageSource = whole(
  { ref: { ...text, maxLength: 1000 }, pollIntervalMinutes: { type: "integer", minimum: 1 } },
  ["ref"],
);
const catalogSource = {
  ...whole({ type: { type: "string", enum: ["Image"] }, image: imageSource }, ["type"]),
  "x-kubernetes-validations": [
    { rule: "self.type != 'Image' || has(self.image)", message: "a source of type Image needs an image" },
    {
      rule: "!has(self.image) || !has(self.image.pollIntervalMinutes) || !self.image.ref.contains('@')",
      message: "an image with a digest is not polled",
    },
  ],
};

/** The CRDs of ClusterCatalog and UpdateService. */
export const importedCrds: readonly Crd[] = [
  looseCrd(
    kinds.ClusterCatalog,
    withSpec(
      whole(
        {
          source: catalogSource,
          priority: { type: "integer", format: "int32", default: 0 },
          availabilityMode: { type: "string", enum: ["Available", "Unavailable"], default: "Available" },
        },
        ["source"],
      ),
    ),
  ),
  looseCrd(
    kinds.UpdateService,
    withSpec(
      whole({ replicas: { type: "integer", minimum: 1 }, releases: text, graphDataImage: text }, [
        "replicas",
        "releases",
        "graphDataImage",
      ]),
    ),
  ),
];
