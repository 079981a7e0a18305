import { fieldsOf, listOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { overridesVariable } from "../well-known-names.ts";

type Fields = Readonly<Record<string, unknown>>;

function podSpecOf({ spec }: KubernetesObject): Fields {
  return fieldsOf(fieldsOf(fieldsOf(spec).template).spec);
}

/** Returns the registry overrides in the environment of a container; undefined without the variable. */
export function overridesTextOf(deployment: KubernetesObject): string | undefined {
  const variable = listOf(podSpecOf(deployment).containers)
    .flatMap((container) => listOf(fieldsOf(container).env))
    .find((one) => fieldsOf(one).name === overridesVariable);
  const { value } = fieldsOf(variable);
  return variable === undefined ? undefined : typeof value === "string" ? value : "";
}

const flag = "--registry-overrides=";

/** Returns the value of `--registry-overrides` that HyperShift's operator gives to a control plane's operator. */
export function replacementsTextOf(deployment: KubernetesObject): string | undefined {
  const words = listOf(podSpecOf(deployment).containers).flatMap((container) => {
    const { command, args } = fieldsOf(container);
    return [...listOf(command), ...listOf(args)];
  });
  const texts = words.filter((word) => typeof word === "string");
  return texts.find((word) => word.startsWith(flag))?.slice(flag.length);
}

/**
 * Returns the Deployment with these registry overrides; an empty text removes the variable. The same overrides leave it
 * as it is, since any other change of its pod restarts it.
 */
export function withOverridesText(deployment: KubernetesObject, text: string): KubernetesObject {
  if ((overridesTextOf(deployment) ?? "") === text) return deployment;
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
