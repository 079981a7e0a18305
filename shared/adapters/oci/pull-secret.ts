import { type Credential, type PullSecret, parsePullSecret } from "../../domain/images/pull-secret.ts";
import { RegistryError } from "../../ports/registry.ts";

/** The key of Docker's own registry in every client. */
const dockerKey = "https://index.docker.io/v1/";

function parsed(text: string): PullSecret {
  const secret = parsePullSecret(text);
  if ("problem" in secret) throw new RegistryError("InvalidPullSecret", secret.problem);
  return secret;
}

/** `https://host/v1/` and `host` name the same registry: old clients write the former. */
function normalKey(key: string): string {
  if (key === dockerKey) return "docker.io";
  const [, url] = /^https?:\/\/(.+)$/.exec(key) ?? [];
  return url === undefined ? key.replace(/(?<!\/)\/+$/, "") : url.replace(/\/.*$/s, "");
}

/**
 * Returns the credential for a repository (`host[:port]/path`): that of the longest entry that is the repository, a
 * path above it or its host, as in container runtimes. Undefined without one; throws `RegistryError` when the text is
 * not a pull secret.
 */
export function credentialFor(pullSecret: string | undefined, repository: string): Credential | undefined {
  if (!pullSecret) return undefined;
  const byKey = new Map<string, Credential>();
  for (const [key, credential] of parsed(pullSecret).credentials) {
    // With two spellings of one registry, the plain one wins.
    if (normalKey(key) === key || !byKey.has(normalKey(key))) byKey.set(normalKey(key), credential);
  }
  for (let scope = repository; scope !== ""; scope = scope.slice(0, Math.max(0, scope.lastIndexOf("/")))) {
    const credential = byKey.get(scope);
    if (credential) return credential;
  }
  return undefined;
}

/** Returns the credential helper for a registry without a login in the pull secret; undefined without one. */
export function programFor(pullSecret: string | undefined, host: string): string | undefined {
  if (!pullSecret) return undefined;
  const { byRegistry, others } = parsed(pullSecret).programs;
  const [, named] = [...byRegistry].find(([key]) => normalKey(key) === host) ?? [];
  const program = named ?? others;
  return program === undefined ? undefined : `docker-credential-${program}`;
}
