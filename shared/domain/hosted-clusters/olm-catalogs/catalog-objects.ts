import { isSameJson } from "../../json/same-json.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { CatalogPlacement } from "../cluster/hosted-cluster.ts";
import type { CatalogImage } from "./annotation-images.ts";
import { type DefaultCatalog, defaultCatalogs } from "./default-catalogs.ts";

/** Where the guest's catalogs are, and the name of the ImageStream of a control plane. */
export const catalogNamespace = "openshift-marketplace";
export const imageStreamName = "catalogs";

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

/** True when a value has all that is wanted; what an API server adds does not count. */
function holds(present: unknown, wanted: unknown): boolean {
  return isRecord(present) && isRecord(wanted)
    ? Object.entries(wanted).every(([field, value]) => holds(present[field], value))
    : isSameJson(present, wanted);
}

/**
 * `spec` of the ImageStream that imports the catalogs into the management cluster's registry, tags by name. A tag of
 * the `present` spec that is as it should be stays whole: the API server keeps a `generation` in each of them
 * (github.com/openshift/api, image/v1 TagReference).
 */
export function imageStreamSpec(images: readonly CatalogImage[], present?: unknown): Fields {
  const { tags, lookupPolicy, ...others } = fieldsOf(present);
  const presentTags: readonly unknown[] = Array.isArray(tags) ? tags : [];
  const keep = (found: unknown, wanted: Fields): unknown => (holds(found, wanted) ? found : wanted);
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
    // The catalog runs in the control plane, behind a Service of its name, or in the guest itself.
    ...(placement === "management" ? { address: `${name}:50051` } : { image }),
    displayName,
    publisher: "Red Hat",
    priority,
    grpcPodConfig: { securityContextConfig: "restricted" },
    updateStrategy: { registryPoll: { interval: "10m" } },
  };
}

/** The CatalogSources that a guest is to have. Behaviour: the reconcilers of HyperShift's hosted-cluster-config-operator. */
export function catalogSources(
  placement: CatalogPlacement,
  images: readonly CatalogImage[],
): readonly KubernetesObject[] {
  return defaultCatalogs.flatMap((catalog): KubernetesObject[] => {
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
