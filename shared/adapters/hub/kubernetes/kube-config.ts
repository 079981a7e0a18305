import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import { fieldsOf, isRecord, objectsOf } from "../../../domain/kubernetes/json/values.ts";
import { fileErrorCode, fileProblem, requireRegularFile } from "../../file-text.ts";
import { type Environment, EnvironmentError } from "../../settings/environment.ts";

/**
 * Reads a kubeconfig, or a list of files as in KUBECONFIG, which are merged as kubectl merges them: missing files are
 * skipped. Throws an `EnvironmentError` that never quotes a file.
 */
export function fileKubeConfig(path: string, context?: string): KubeConfig {
  return withContext(readFiles(path), path, context);
}

const namesIn = (config: KubeConfig): readonly string[] => config.getContexts().map(({ name }) => name);

function readFiles(path: string): KubeConfig {
  const paths = path.split(delimiter).filter((one) => one !== "");
  const present = paths.filter((one) => existsSync(one));
  const configs = (present.length > 0 ? present : [path]).map((file) =>
    readKubeConfig(contentOf(file), file, dirname(resolve(file))),
  );
  return merged(configs);
}

/** Parses a kubeconfig. Errors refer to it by `name`. Throws an `EnvironmentError` that never quotes the text. */
export function parseKubeConfig(
  text: string,
  { name, context }: Readonly<{ name: string; context?: string | undefined }>,
): KubeConfig {
  return withContext(readKubeConfig(text, name, process.cwd()), name, context);
}

function readKubeConfig(text: string, name: string, folder: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
    useTokenFiles(config, text, folder);
  } catch (error) {
    throw new EnvironmentError(`The kubeconfig ${name} is invalid: ${reasonOf(error)}`);
  }
  config.makePathsAbsolute(folder);
  return config;
}

/** The first of two entries with the same name is used; the client library's own function rejects such entries. */
function merged(configs: readonly KubeConfig[]): KubeConfig {
  const firstOf = <Item extends Readonly<{ name: string }>>(items: readonly Item[]) =>
    [...new Map(items.toReversed().map((item) => [item.name, item])).values()].reverse();
  const all = new KubeConfig();
  all.clusters = firstOf(configs.flatMap(({ clusters }) => clusters));
  all.users = firstOf(configs.flatMap(({ users }) => users));
  all.contexts = firstOf(configs.flatMap(({ contexts }) => contexts));
  all.currentContext = configs.find(({ currentContext }) => currentContext)?.currentContext ?? "";
  return all;
}

function withContext(config: KubeConfig, name: string, context: string | undefined): KubeConfig {
  const names = namesIn(config);
  const known = names.join(", ") || "none";
  if (context && !names.includes(context))
    throw new EnvironmentError(`The kubeconfig ${name} has no context ${context}; it has ${known}.`);
  if (context) config.setCurrentContext(context);
  const { currentContext } = config;
  if (currentContext && !names.includes(currentContext))
    throw new EnvironmentError(
      `The kubeconfig ${name}: current-context ${JSON.stringify(currentContext)} does not exist; it has ${known}. Set it, or use --context.`,
    );
  if (!currentContext && names.length > 0)
    throw new EnvironmentError(
      `The kubeconfig ${name}: current-context is not set; it has ${known}. Set it, or use --context.`,
    );
  return config;
}

/** Returns the kubeconfig of a pod's own ServiceAccount. Throws `EnvironmentError` outside a pod. */
export function inClusterKubeConfig(environment: Environment): KubeConfig {
  if (!environment.KUBERNETES_SERVICE_HOST || !environment.KUBERNETES_SERVICE_PORT)
    throw new EnvironmentError("HUBRELAY_HUB is in-cluster, but this process does not run in a pod.");
  const config = new KubeConfig();
  config.loadFromCluster();
  return config;
}

/** Returns the kubeconfig after changing its current login: it impersonates `user`, as with the field `as`. */
export function actingAs(config: KubeConfig, user: string): KubeConfig {
  const login = config.getCurrentUser()?.name;
  config.users = config.users.map((known) =>
    known.name === login ? { ...known, impersonateUser: user } : known,
  );
  return config;
}

/** Sets users' token files, since the client library ignores `tokenFile`. Other texts are not parsed: that is slow. */
function useTokenFiles(config: KubeConfig, text: string, folder: string): void {
  if (!text.includes("tokenFile")) return;
  const content: unknown = parse(text);
  const users = objectsOf(fieldsOf(content).users);
  for (const { name, user } of users) {
    const file = isRecord(user) && !user.token ? user.tokenFile : undefined;
    if (typeof file !== "string") continue;
    const authProvider = { name: "tokenFile", config: { tokenFile: resolve(folder, file) } };
    config.users = config.users.map((known) => (known.name === name ? { ...known, authProvider } : known));
  }
}

function contentOf(path: string): string {
  try {
    requireRegularFile(path);
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = fileErrorCode(error) || fileProblem(error);
    throw new EnvironmentError(`The kubeconfig ${path} cannot be read (${code}).`);
  }
}

/** Returns only the reason and the line number of a YAML error, since the error's text quotes lines with tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : undefined;
  const { line: index } = fieldsOf("mark" in error && error.mark);
  const line = typeof index === "number" ? ` in line ${index + 1}` : "";
  if (reason) return `${reason}${line}.`;
  // The library's own messages name a field (`clusters[0].name is missing`). Any other message is an internal error.
  return /^(?:clusters|users|contexts)\[\d+\]/.test(error.message)
    ? `${error.message}.`
    : "it does not have a kubeconfig's fields.";
}
