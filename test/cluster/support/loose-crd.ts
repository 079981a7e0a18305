import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { Crd } from "./crds.ts";

/**
 * A definition for a kind that no project publishes one of: any content, with a status of its own. Either nobody
 * ships the kind, or it is served by an API server of its own (ImageStream, by openshift-apiserver), which validates
 * in code: what that would refuse or add does not show here.
 */
export function looseCrd({ apiVersion, kind, plural, namespaced }: Kind): Crd {
  const [group = "", version = ""] = apiVersion.split("/");
  const name = `${plural}.${group}`;
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name,
      // The API server guards groups of Kubernetes' own; this one says that it is a stand-in.
      annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for tests" },
    },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
        },
      ],
    },
  };
  return { name, group, version, plural, manifest };
}
