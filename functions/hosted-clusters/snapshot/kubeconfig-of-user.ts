import { fieldsOf, isRecord, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { parseYamlDocument } from "#shared/domain/manifests/yaml-document.ts";

function parsed(text: string): UnknownRecord {
  try {
    return fieldsOf(parseYamlDocument(text, { repeatedKeys: "last counts" }).value);
  } catch {
    return {}; // the client that uses it reports the error
  }
}

function current(config: UnknownRecord, list: "clusters" | "users", field: "cluster" | "user"): unknown {
  const named = (entries: unknown, name: unknown) =>
    Array.isArray(entries) ? entries.filter(isRecord).find((entry) => entry.name === name) : undefined;
  const { context } = named(config.contexts, config["current-context"]) ?? {};
  return isRecord(context) ? named(config[list], context[field])?.[field] : undefined;
}

/**
 * Returns a kubeconfig with the server of one and the user of another; the first one unchanged when either names no
 * current entry. HyperShift's operators have the guest's internal address only in the namespace of its control plane.
 */
export function kubeconfigOfUser(server: string, user: string): string {
  const parts = {
    cluster: current(parsed(server), "clusters", "cluster"),
    user: current(parsed(user), "users", "user"),
  };
  if (!parts.cluster || !parts.user) return server;
  const name = "guest";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: parts.cluster }],
    users: [{ name, user: parts.user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
