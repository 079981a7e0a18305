import { isFields } from "../../domain/kubernetes/manifest-object.ts";
import { RegistryError } from "../../ports/registry.ts";

/** How a client shows who it is, as an entry of a pull secret has it: at least one of the two. */
export type Credential = Readonly<{
  /** The value of a Basic authorization header, without the word: base64 of `user:password`. */
  basic?: string;
  /** What `docker login` got instead of keeping a password: the service for tokens takes it in exchange. */
  identityToken?: string;
}>;

/** Docker's own registry is kept under this name by every client. */
const dockerKey = "https://index.docker.io/v1/";

function authsOf(pullSecret: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(pullSecret);
  } catch {
    // The parser's own words would quote the secret.
    throw new RegistryError("InvalidPullSecret", "The pull secret is no JSON.");
  }
  const auths = isFields(content) ? (content.auths ?? {}) : undefined;
  if (!isFields(auths))
    throw new RegistryError("InvalidPullSecret", "The pull secret has no map `auths` of registries.");
  return auths;
}

function basicIn(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { auth, username, password } = entry;
  if (typeof auth === "string" && auth !== "") return auth;
  if (typeof username !== "string" || typeof password !== "string") return undefined;
  return Buffer.from(`${username}:${password}`).toString("base64");
}

function credentialIn(entry: unknown): Credential | undefined {
  if (!isFields(entry)) return undefined;
  const basic = basicIn(entry);
  const { identitytoken } = entry;
  const identityToken = typeof identitytoken === "string" && identitytoken !== "" ? identitytoken : undefined;
  if (basic === undefined && identityToken === undefined) return undefined;
  return {
    ...(basic === undefined ? {} : { basic }),
    ...(identityToken === undefined ? {} : { identityToken }),
  };
}

/** `https://host/v1/` and `host` name one registry: old clients write the former. */
function normalKey(key: string): string {
  if (key === dockerKey) return "docker.io";
  const [, url] = /^https?:\/\/(.+)$/.exec(key) ?? [];
  return url === undefined ? key.replace(/\/+$/, "") : url.replace(/\/.*$/, "");
}

/**
 * The credential for a repository (`host[:port]/path`): that of the longest entry that is the repository, a path
 * above it or its host, as container runtimes read the file. Undefined without one; throws `RegistryError` when
 * the text is no pull secret.
 */
export function credentialFor(pullSecret: string | undefined, repository: string): Credential | undefined {
  if (!pullSecret) return undefined;
  const byKey = new Map<string, Credential>();
  for (const [key, entry] of Object.entries(authsOf(pullSecret))) {
    const credential = credentialIn(entry);
    // Where two spellings name one registry, the plain one counts.
    if (credential && (normalKey(key) === key || !byKey.has(normalKey(key))))
      byKey.set(normalKey(key), credential);
  }
  for (let scope = repository; scope !== ""; scope = scope.slice(0, Math.max(0, scope.lastIndexOf("/")))) {
    const credential = byKey.get(scope);
    if (credential) return credential;
  }
  return undefined;
}
