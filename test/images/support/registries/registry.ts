import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "../../../../infra/run-program.ts";
import type { Network } from "../network/network.ts";
import type { AccessLog } from "./access-log.ts";
import type { Certificate } from "./certificate.ts";

/** A registry as clients know it. Without a certificate it speaks plain HTTP. */
export type RegistryOptions = Readonly<{
  /** `host[:port]`, as in an image reference. */
  name: string;
  address: string;
  certificate?: Certificate;
  /** A file of users and their passwords, as `htpasswd -B` writes it; without it no login is needed. */
  users?: string;
  /** Where clients get tokens, and the certificate that verifies their signatures. */
  tokens?: Readonly<{ realm: string; service: string; issuer: string; certificate: string }>;
  /** Another registry of this folder, whose storage it shares. */
  servesAlso?: string;
}>;

export type Registry = Readonly<{ name: string; [Symbol.asyncDispose](): Promise<void> }>;

/** Returns host and port of `host[:port]`; the default is the port of the protocol. */
export function endpointOf(name: string, isEncrypted: boolean): Readonly<{ host: string; port: number }> {
  const [host = "", port] = name.split(":");
  return { host, port: port === undefined ? (isEncrypted ? 443 : 80) : Number(port) };
}

function tokenAuth({ realm, service, issuer, certificate }: NonNullable<RegistryOptions["tokens"]>) {
  return { realm, service, issuer, rootcertbundle: certificate };
}

/** Returns the registry's configuration file; JSON is YAML. */
function configuration(
  { name, address, certificate, users, tokens }: RegistryOptions,
  storage: string,
): string {
  const { port } = endpointOf(name, certificate !== undefined);
  return JSON.stringify({
    version: "0.1",
    log: { level: "info", formatter: "json", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage }, maintenance: { uploadpurging: { enabled: false } } },
    ...(users ? { auth: { htpasswd: { realm: "tests", path: users } } } : {}),
    ...(tokens ? { auth: { token: tokenAuth(tokens) } } : {}),
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
