import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { CatalogPlacement } from "../hosted-cluster.ts";
import type { CatalogImage } from "./annotation-images.ts";
import { type DefaultCatalog, defaultCatalogs } from "./default-catalogs.ts";

/** Where the guest's catalogs are, and the name of the ImageStream of a control plane. */
export const catalogNamespace = "openshift-marketplace";
export const imageStreamName = "catalogs";

/** `spec` of the ImageStream that imports the catalogs into the management cluster's registry, tags by name. */
export function imageStreamSpec(images: readonly CatalogImage[]): Readonly<Record<string, unknown>> {
  return {
    lookupPolicy: { local: true },
    tags: images.map(({ name, image }) => ({
      name,
      from: { kind: "DockerImage", name: image },
      importPolicy: { scheduled: true, importMode: "PreserveOriginal" },
      referencePolicy: { type: "Local" },
    })),
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
