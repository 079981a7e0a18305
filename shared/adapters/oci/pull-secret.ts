import { type Credential, type PullSecret, parsePullSecret } from "../../domain/images/pull-secret.ts";
import { RegistryError } from "../../ports/registry.ts";

const dockerKey = "https://index.docker.io/v1/";

function parsed(text: string): PullSecret {
  const secret = parsePullSecret(text);
  if ("problem" in secret) throw new RegistryError("InvalidPullSecret", secret.problem);
  return secret;
}

/** The older form `https://host/v1/` of a key becomes `host`. */
function normalKey(key: string): string {
  if (key === dockerKey) return "docker.io";
  const [, url] = /^https?:\/\/(.+)$/.exec(key) ?? [];
  return url === undefined ? key.replace(/(?<!\/)\/+$/, "") : url.replace(/\/.*$/s, "");
}

/**
 * Returns the pull secret's credential for a repository (`host[:port]/path`); undefined if it has none. As in container
 * runtimes, a key is a repository, a path or a host, and the longest matching key is used. Throws `RegistryError` if
 * the text is not a pull secret.
 */
export function credentialFor(pullSecret: string | undefined, repository: string): Credential | undefined {
  if (!pullSecret) return undefined;
  const byKey = new Map<string, Credential>();
  for (const [key, credential] of parsed(pullSecret).credentials) {
    // If both forms of a key are listed, the newer form is used.
    if (normalKey(key) === key || !byKey.has(normalKey(key))) byKey.set(normalKey(key), credential);
  }
  for (let scope = repository; scope !== ""; scope = scope.slice(0, Math.max(0, scope.lastIndexOf("/")))) {
    const credential = byKey.get(scope);
    if (credential) return credential;
  }
  return undefined;
}

/** Returns the credential helper that the pull secret names for a registry. Undefined if there is none. */
export function programFor(pullSecret: string | undefined, host: string): string | undefined {
  if (!pullSecret) return undefined;
  const { byRegistry, others } = parsed(pullSecret).programs;
  const [, named] = [...byRegistry].find(([key]) => normalKey(key) === host) ?? [];
  const program = named ?? others;
  return program === undefined ? undefined : `docker-credential-${program}`;
}
