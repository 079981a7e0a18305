import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished, succeeded } from "../../../../infra/run-program.ts";
import type { Network } from "../network/network.ts";

/** A registry as clients know it. Without a certificate it speaks plain HTTP. */
type RegistryOptions = Readonly<{
  /** `host[:port]`, as in an image reference. */
  name: string;
  address: string;
  certificate?: Certificate;
  /** Another registry of this folder, whose storage it shares. */
  servesAlso?: string;
}>;

export type Registry = Readonly<{ name: string; [Symbol.asyncDispose](): Promise<void> }>;

/** Returns host and port of `host[:port]`; the default is the port of the protocol. */
export function endpointOf(name: string, isEncrypted: boolean): Readonly<{ host: string; port: number }> {
  const [host = "", port] = name.split(":");
  return { host, port: port === undefined ? (isEncrypted ? 443 : 80) : Number(port) };
}

/** Returns the registry's configuration file; JSON is YAML. */
function configuration({ name, address, certificate }: RegistryOptions, storage: string): string {
  const { port } = endpointOf(name, certificate !== undefined);
  return JSON.stringify({
    version: "0.1",
    log: { level: "info", formatter: "json", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage }, maintenance: { uploadpurging: { enabled: false } } },
    http: {
      addr: `${address}:${port}`,
      secret: "one for all, nothing is kept",
      ...(certificate ? { tls: certificate } : {}),
    },
  });
}

/** Connects until the registry listens; throws when the process exits instead. Starting the client is the pause. */
async function isListening(process: ChildProcess, network: Network, endpoint: string): Promise<void> {
  const [program = "", ...words] = [...network.enter, "bash", "-c", `: < /dev/tcp/${endpoint}`];
  for (;;) {
    if (process.exitCode !== null) throw new Error(`docker-registry ended with ${process.exitCode}`);
    const { code } = await finished(program, words, { cwd: "/" });
    if (code === 0) return;
  }
}

const storageOf = (folder: string, name: string): string => join(folder, "registries", name, "storage");

/** Removes a blob from one repository (`registry/path`) of a registry of this folder, as an interrupted copy lacks it. */
export async function removeBlob(folder: string, location: string, digest: string): Promise<void> {
  const slash = location.indexOf("/");
  const repository = join("docker/registry/v2/repositories", location.slice(slash + 1));
  const layer = join("_layers", digest.replace(":", "/"));
  await rm(join(storageOf(folder, location.slice(0, slash)), repository, layer), { recursive: true });
}

/**
 * Starts docker-registry with a storage below `folder`, empty unless shared with another; resolves when it accepts
 * connections.
 */
export async function startRegistry(
  folder: string,
  network: Network,
  log: AccessLog,
  options: RegistryOptions,
): Promise<Registry> {
  const { name, address, certificate, servesAlso = name } = options;
  const own = join(folder, "registries", name);
  await mkdir(own, { recursive: true });
  const configurationFile = join(own, "config.yml");
  await writeFile(configurationFile, configuration(options, storageOf(folder, servesAlso)));

  // It ends with the tests, even when they are killed.
  const command = ["setpriv", "--pdeathsig=KILL", "docker-registry", "serve", configurationFile];
  const [program = "", ...words] = [...network.enter, ...command];
  const server = spawn(program, words, { stdio: ["ignore", "ignore", log.descriptor] });
  const ended = once(server, "close");
  await isListening(server, network, `${address}/${endpointOf(name, certificate !== undefined).port}`);
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await ended;
    },
  };
}

/** One request that a registry answered, and the time. */
export type RegistryRequest = Readonly<{
  registry: string;
  method: string;
  path: string;
  status: number;
  at: Date;
}>;

/**
 * The log of all registries, in one file and so in one order. A registry writes the line before it completes the
 * response, so a client that has ended has left all its lines here.
 */
export type AccessLog = Readonly<{
  /** The file that the registries append to. */
  descriptor: number;
  /** Returns the requests that were answered while `action` ran, and the result of `action`. */
  during<T>(action: () => Promise<T>): Promise<Readonly<{ result: T; requests: readonly RegistryRequest[] }>>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

// Every registry has its own address, so the host that a client names is the registry that it reached.
const requestFields = ["http.request.host", "http.request.method", "http.request.uri"] as const;

function tryParseRequest(line: string): RegistryRequest | undefined {
  if (!line.startsWith("{")) return undefined; // Go's own server logs errors as plain text
  const entry: Record<string, unknown> = JSON.parse(line);
  const [registry, method, path] = requestFields.map((field) => entry[field]);
  const status = entry["http.response.status"];
  if (typeof registry !== "string" || typeof method !== "string" || typeof path !== "string")
    return undefined;
  if (typeof status !== "number") return undefined;
  return { registry, method, path, status, at: new Date(String(entry.time)) };
}

/** Creates the file and opens the log. */
export async function openAccessLog(file: string): Promise<AccessLog> {
  const handle = await open(file, "a");
  return {
    descriptor: handle.fd,
    during: async (action) => {
      const { size } = await stat(file);
      const result = await action();
      const lines = (await readFile(file)).subarray(size).toString("utf8").split("\n");
      return { result, requests: lines.flatMap((line) => tryParseRequest(line) ?? []) };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** A certificate and its key, as the paths of two PEM files. */
export type Certificate = Readonly<{ certificate: string; key: string }>;

/** Returns the extension for a certificate with these host names. */
export function forHosts(hosts: readonly string[]): string {
  return `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
}

/** Creates a certificate with these X.509 extensions; without an issuer it is self-signed. */
export async function makeCertificate(
  folder: string,
  name: string,
  extensions: readonly string[],
  issuer?: Certificate,
): Promise<Certificate> {
  const made = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", made.key];
  const words = [
    ...["req", "-x509", "-days", "2", "-subj", `/CN=${name}`, "-out", made.certificate, ...key],
    ...extensions.flatMap((extension) => ["-addext", extension]),
    ...(issuer ? ["-CA", issuer.certificate, "-CAkey", issuer.key] : []),
  ];
  await succeeded("openssl", words, { cwd: folder });
  return made;
}
