import { fieldsOf } from "../kubernetes/json/values.ts";
import type { Kind } from "../kubernetes/object.ts";
import type { Definition, Field } from "./field.ts";

/** One of hubrelay's own kinds, as its CustomResourceDefinition describes it. */
export type KindDefinition = Readonly<{
  about: string;
  kind: Kind;
  shortName: string;
  columns: readonly Definition[];
  hasStatus?: boolean;
  /** The kind's own fields, such as `spec`, without apiVersion, kind and metadata. */
  fields: Field;
}>;

/** Returns the CustomResourceDefinition of a kind. */
export function customResourceDefinition({
  kind: of,
  shortName,
  columns,
  hasStatus,
  fields,
}: KindDefinition) {
  const [group = "", version] = of.apiVersion.split("/");
  const { kind, plural } = of;
  const { type, required, properties } = fields.definition;
  const ofEveryObject = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
  };
  const schema = { type, required, properties: { ...ofEveryObject, ...fieldsOf(properties) } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(hasStatus ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
