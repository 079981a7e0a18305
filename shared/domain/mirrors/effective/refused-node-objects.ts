import { demanded } from "../../issues/api-refusals.ts";
import {
  asWritten,
  type Field,
  flag,
  list,
  map,
  orNull,
  partial,
  readField,
  text,
} from "../../issues/field.ts";
import type { Issue } from "../../issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";

/*
 * Refusals by every API server of MachineConfigs and MachineConfigPools, in the fields that hubrelay reads. A null is
 * dropped. Source: openshift/api 8f52beb625b5, machineconfiguration/v1.
 */

const aString = text({}, "a string");
const countOrPercentage: Field = {
  definition: { "x-kubernetes-int-or-string": true },
  read: (value, path, refuse) =>
    value === undefined || typeof value === "string" || Number.isInteger(value)
      ? value
      : refuse(path, value, "a whole number or a string"),
};
const selector = orNull(
  partial({
    matchLabels: orNull(map(aString)),
    matchExpressions: orNull(
      list(partial({ key: demanded(aString), operator: demanded(aString), values: orNull(list(aString)) })),
    ),
  }),
);

const specs: readonly Readonly<{ kind: (typeof kinds)["MachineConfig"]; spec: Field }>[] = [
  { kind: kinds.MachineConfig, spec: orNull(partial({ config: orNull(map(asWritten())) })) },
  {
    kind: kinds.MachineConfigPool,
    spec: demanded(
      partial({
        machineConfigSelector: selector,
        nodeSelector: selector,
        paused: orNull(flag()),
        maxUnavailable: orNull(countOrPercentage),
      }),
    ),
  },
];

/** Returns the refusals of a MachineConfig or MachineConfigPool by the API server; none for an object of another kind. */
export function nodeObjectRefusals(object: KubernetesObject): readonly Issue[] {
  const found = specs.find(({ kind }) => isKind(kind, object));
  return found ? readField(object, "spec", object.spec, found.spec).issues : [];
}
