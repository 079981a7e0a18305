import { type GoField, type GoType, goString, goStrings } from "./go-decode.ts";

const string: GoField = { type: goString, kept: "unless zero" };
const requiredString: GoField = { type: goString, kept: "always" };
const uid: GoType = { of: "string", name: "types.UID" };
const seconds: GoType = { of: "int64", name: "int64" };
const flag: GoField = { type: { of: "bool", name: "bool" }, kept: "when given" };
const time: GoField = { type: { of: "time", name: "string" }, kept: "when given" };
const stringMap: GoField = {
  type: { of: "map", name: "map[string]string", item: goString },
  kept: "unless zero",
};

function listOf(name: string, fields: Readonly<Record<string, GoField>>): GoField {
  return {
    type: { of: "list", name: `[]${name}`, item: { of: "struct", name, fields } },
    kept: "unless zero",
  };
}

/** The metadata of every Kubernetes object, as apimachinery declares it (`v1.ObjectMeta`). */
export const goObjectMeta: GoType = {
  of: "struct",
  name: "v1.ObjectMeta",
  fields: {
    name: string,
    generateName: string,
    namespace: string,
    selfLink: string,
    uid: { type: uid, kept: "unless zero" },
    resourceVersion: string,
    generation: { type: seconds, kept: "unless zero" },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: seconds, kept: "when given" },
    labels: stringMap,
    annotations: stringMap,
    ownerReferences: listOf("v1.OwnerReference", {
      apiVersion: requiredString,
      kind: requiredString,
      name: requiredString,
      uid: { type: uid, kept: "always" },
      controller: flag,
      blockOwnerDeletion: flag,
    }),
    finalizers: { type: goStrings, kept: "unless zero" },
    managedFields: listOf("v1.ManagedFieldsEntry", {
      manager: string,
      operation: { type: { of: "string", name: "v1.ManagedFieldsOperationType" }, kept: "unless zero" },
      apiVersion: string,
      time,
      fieldsType: string,
      fieldsV1: { type: { of: "raw" }, kept: "when given" },
      subresource: string,
    }),
  },
};
