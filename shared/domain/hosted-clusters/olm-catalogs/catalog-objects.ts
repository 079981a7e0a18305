import { fieldsOf, isRecord, isSameJson, listOf, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { CatalogPlacement } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs } from "../facts/hypershift.ts";
import type { CatalogImage } from "./olm-catalogs.ts";

/** The namespace of a guest's CatalogSources. */
export const catalogNamespace = "openshift-marketplace";
export const imageStreamName = "catalogs";

type Fields = Readonly<Record<string, unknown>>;

function containsAll(present: unknown, wanted: unknown): boolean {
  return isRecord(present) && isRecord(wanted)
    ? Object.entries(wanted).every(([field, value]) => containsAll(ownValue(present, field), value))
    : isSameJson(present, wanted);
}

/**
 * Returns `spec` of the ImageStream that imports the catalogs into the management cluster's registry. Correct tags of
 * the `present` spec stay unchanged, because the API server keeps a `generation` in each tag (github.com/openshift/api,
 * image/v1 TagReference).
 */
export function imageStreamSpec(images: readonly CatalogImage[], present?: unknown): Fields {
  const { tags, lookupPolicy, ...others } = fieldsOf(present);
  const presentTags = listOf(tags);
  const keep = (found: unknown, wanted: Fields): unknown => (containsAll(found, wanted) ? found : wanted);
  return {
    ...others,
    lookupPolicy: keep(lookupPolicy, { local: true }),
    tags: images.map(({ name, image }) =>
      keep(
        presentTags.find((tag) => fieldsOf(tag).name === name),
        {
          name,
          from: { kind: "DockerImage", name: image },
          importPolicy: { scheduled: true, importMode: "PreserveOriginal" },
          referencePolicy: { type: "Local" },
        },
      ),
    ),
  };
}

function sourceSpec(
  { name, displayName, priority }: DefaultCatalog,
  placement: CatalogPlacement,
  image: string,
): Readonly<Record<string, unknown>> {
  return {
    sourceType: "grpc",
    // A catalog in the control plane runs behind a Service of the same name.
    ...(placement === "management" ? { address: `${name}:50051` } : { image }),
    displayName,
    publisher: "Red Hat",
    priority,
    grpcPodConfig: { securityContextConfig: "restricted" },
    updateStrategy: { registryPoll: { interval: "10m" } },
  };
}

/** Returns the CatalogSources that a guest should have. Behaviour: HyperShift's hosted-cluster-config-operator. */
export function catalogSources(
  placement: CatalogPlacement,
  images: readonly CatalogImage[],
): readonly KubernetesObject[] {
  return knownCatalogs.flatMap((catalog): KubernetesObject[] => {
    const image = images.find(({ name }) => name === catalog.name)?.image;
    if (image === undefined) return [];
    return [
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: {
          name: catalog.name,
          namespace: catalogNamespace,
          annotations: {
            "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
          },
        },
        spec: sourceSpec(catalog, placement, image),
      },
    ];
  });
}
