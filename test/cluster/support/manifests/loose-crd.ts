import type { Kind } from "#shared/domain/kubernetes/object.ts";
import type { Crd } from "./crds.ts";

const anyContent: object = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/**
 * Returns a CRD for a kind without a published one: any content unless it has a schema, and a status subresource. The kind has no published
 * CRD at all, or an API server of its own serves it (ImageStream, by openshift-apiserver), which validates in code:
 * what that server would refuse or default does not show here.
 */
export function looseCrd({ apiVersion, kind, plural, namespaced }: Kind, schema = anyContent): Crd {
  const [group = "", version = ""] = apiVersion.split("/");
  const name = `${plural}.${group}`;
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name,
      // The API server protects the groups of Kubernetes; this annotation marks the CRD as a stand-in.
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
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
  return { name, group, version, plural, manifest };
}
