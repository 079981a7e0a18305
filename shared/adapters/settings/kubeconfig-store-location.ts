import { EnvironmentError } from "./environment.ts";

/** The store of the functions' kubeconfigs, and what their names begin with: `/hubrelay/prod`. */
export type KubeconfigStoreLocation = Readonly<{
  from: "secretsmanager" | "parameterstore";
  prefix: string;
}>;

const example = "parameterstore:/hubrelay/prod, or the same with secretsmanager";

/** Reads where kubeconfigs are stored, as of HUBRELAY_KUBECONFIGS. Throws `EnvironmentError` when it is invalid. */
export function kubeconfigStoreLocation(text: string): KubeconfigStoreLocation {
  const [, from, prefix = ""] = /^(secretsmanager|parameterstore):(\/[\w.@+=/-]*\w)\/?$/.exec(text) ?? [];
  if (from === "secretsmanager" || from === "parameterstore") return { from, prefix };
  throw new EnvironmentError(`${text} is not a store of kubeconfigs; it should be like ${example}.`);
}
