import * as z from "zod";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { PodTemplate } from "./pod-templates.ts";

const settings = z.object({ data: z.record(z.string(), z.string()) });

/** The values of a ConfigMap or Secret of the rendered objects; throws when it is not among them. */
export function valuesOf(
  objects: readonly KubernetesObject[],
  kind: "ConfigMap" | "Secret",
  name: string,
): Readonly<Record<string, string>> {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`${kind} ${name} is named, but not there`);
  const { data } = settings.parse(found);
  if (kind === "ConfigMap") return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/**
 * Returns the environment that a kubelet gives to the first container of a pod: `envFrom`, then `env` in its order,
 * with `$(NAME)` of earlier `env` entries. Throws when a referenced object or key does not exist. What names the pod is left
 * out: no kubelet has made one.
 */
export function environmentOf(
  { name, spec }: PodTemplate,
  objects: readonly KubernetesObject[],
): Readonly<Record<string, string>> {
  const [container] = spec.containers;
  if (!container) throw new Error(`${name} has no container`);
  const general = container.envFrom.map(({ configMapRef, secretRef }) => {
    if (configMapRef) return valuesOf(objects, "ConfigMap", configMapRef.name);
    if (secretRef) return valuesOf(objects, "Secret", secretRef.name);
    throw new Error(`${name} takes its environment from nothing`);
  });
  const own: Record<string, string> = {};
  for (const { name: variable, value = "", valueFrom } of container.env) {
    if (valueFrom?.fieldRef) continue;
    const reference = valueFrom?.configMapKeyRef;
    const taken = reference ? valuesOf(objects, "ConfigMap", reference.name)[reference.key] : value;
    if (taken === undefined) throw new Error(`${variable} of ${name} is not in its ConfigMap`);
    own[variable] = taken.replace(/\$\((\w+)\)/g, (text, known: string) => own[known] ?? text);
  }
  return { ...Object.assign({}, ...general), ...own };
}
