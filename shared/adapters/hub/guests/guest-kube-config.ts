import { KubeConfig } from "@kubernetes/client-node";
import { isRecord, objectsOf, ownValue } from "../../../domain/kubernetes/json/values.ts";
import { parseYamlDocument } from "../../../domain/manifests/yaml-document.ts";
import { GuestError } from "../../../ports/external-ports.ts";

/** Other fields would let whoever writes the Secret run programs or read files here. */
const clusterFields: ReadonlySet<string> = new Set([
  "server",
  "certificate-authority-data",
  "tls-server-name",
]);
const userFields: ReadonlySet<string> = new Set(["client-certificate-data", "client-key-data", "token"]);

type Fields = Readonly<Record<string, unknown>>;

function named(list: unknown, name: unknown, inner: string): Fields {
  const fields = ownValue(
    objectsOf(list).find((entry) => entry.name === name),
    inner,
  );
  if (!isRecord(fields)) throw new GuestError(`The kubeconfig's current context names no ${inner}.`);
  return fields;
}

function only(fields: Fields, allowed: ReadonlySet<string>, what: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      if (!allowed.has(field) || typeof value !== "string")
        throw new GuestError(
          `The kubeconfig's ${what} has the field ${field.slice(0, 60)}, which is not allowed.`,
        );
      return [field, value] as const;
    }),
  );
}

function parsed(text: string): Fields {
  try {
    const content: unknown = parseYamlDocument(text, { repeatedKeys: "last counts" }).value;
    if (isRecord(content)) return content;
  } catch {
    // The parser's error is not rethrown, since its message quotes the file.
  }
  throw new GuestError("The kubeconfig is not valid YAML.");
}

/**
 * Reads the kubeconfig that a hosted cluster's control plane publishes. Throws `GuestError` if it would run a program,
 * read a file, use a proxy, or connect without TLS.
 */
export function guestKubeConfig(text: string): KubeConfig {
  const content = parsed(text);
  const context = named(content.contexts, content["current-context"], "context");
  const cluster = only(named(content.clusters, context.cluster, "cluster"), clusterFields, "cluster");
  const user = only(named(content.users, context.user, "user"), userFields, "user");
  const { server = "", "certificate-authority-data": caData, "tls-server-name": tlsServerName } = cluster;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new GuestError("The kubeconfig's server is not an https URL.");
  const { "client-certificate-data": certData, "client-key-data": keyData, token } = user;
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: "guest",
      server,
      skipTLSVerify: false,
      ...(caData ? { caData } : {}),
      ...(tlsServerName ? { tlsServerName } : {}),
    },
    {
      name: "guest",
      ...(certData ? { certData } : {}),
      ...(keyData ? { keyData } : {}),
      ...(token ? { token } : {}),
    },
  );
  return config;
}
