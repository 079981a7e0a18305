import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { overridesVariable } from "../well-known-names.ts";

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

function podSpecOf({ spec }: KubernetesObject): Fields {
  return fieldsOf(fieldsOf(fieldsOf(spec).template).spec);
}

/** Returns the registry overrides in the environment of the first container; undefined without the variable. */
export function overridesTextOf(deployment: KubernetesObject): string | undefined {
  const [container] = listOf(podSpecOf(deployment).containers);
  const variable = listOf(fieldsOf(container).env).find((one) => fieldsOf(one).name === overridesVariable);
  const { value } = fieldsOf(variable);
  return variable === undefined ? undefined : typeof value === "string" ? value : "";
}

/** Returns the Deployment with these registry overrides; an empty text removes the variable. */
export function withOverridesText(deployment: KubernetesObject, text: string): KubernetesObject {
  const podSpec = podSpecOf(deployment);
  const [container, ...others] = listOf(podSpec.containers);
  const env = listOf(fieldsOf(container).env).filter((one) => fieldsOf(one).name !== overridesVariable);
  const changed = {
    ...fieldsOf(container),
    env: text === "" ? env : [...env, { name: overridesVariable, value: text }],
  };
  const spec = fieldsOf(deployment.spec);
  return {
    ...deployment,
    spec: {
      ...spec,
      template: { ...fieldsOf(spec.template), spec: { ...podSpec, containers: [changed, ...others] } },
    },
  };
}
