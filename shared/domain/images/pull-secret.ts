import { readJson } from "../kubernetes/json/nesting.ts";
import { isRecord, textOf } from "../kubernetes/json/values.ts";

/** The credentials of one entry of a pull secret. At least one field is set. */
export type Credential = Readonly<{
  /** The value of a Basic authorization header without the scheme: base64 of `user:password`. */
  basic?: string;
  /** The token that `docker login` stores instead of a password. A token service exchanges it for a bearer token. */
  identityToken?: string;
  /** A bearer token that the registry itself accepts. */
  registryToken?: string;
}>;

/**
 * The content of a `.dockerconfigjson`. `programs` are the names of credential helpers (`NAME` in
 * `docker-credential-NAME`), and `others` is the helper for all registries that `byRegistry` lacks.
 */
export type PullSecret = Readonly<{
  credentials: ReadonlyMap<string, Credential>;
  programs: Readonly<{ byRegistry: ReadonlyMap<string, string>; others: string | undefined }>;
}>;

function basicIn({ auth, username, password }: Readonly<Record<string, unknown>>): string | undefined {
  if (textOf(auth)) return textOf(auth);
  if (typeof username !== "string" || typeof password !== "string") return undefined;
  return Buffer.from(`${username}:${password}`).toString("base64");
}

function credentialIn(entry: unknown): Credential | undefined {
  if (!isRecord(entry)) return undefined;
  const basic = basicIn(entry);
  const identityToken = textOf(entry.identitytoken);
  const registryToken = textOf(entry.registrytoken);
  if (basic === undefined && identityToken === undefined && registryToken === undefined) return undefined;
  return {
    ...(basic === undefined ? {} : { basic }),
    ...(identityToken === undefined ? {} : { identityToken }),
    ...(registryToken === undefined ? {} : { registryToken }),
  };
}

/** Returns the value if it can be the name of a program. Any other value may be a misplaced secret. */
const programName = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : undefined;

/**
 * Reads a `.dockerconfigjson`. `problem` says why the text is invalid, without quoting it. Source of the fields:
 * github.com/docker/cli, cli/config/types and cli/config/configfile.
 */
export function parsePullSecret(text: string): PullSecret | Readonly<{ problem: string }> {
  let content: unknown;
  try {
    content = readJson(text);
  } catch {
    return { problem: "The pull secret is not valid JSON." };
  }
  const auths = isRecord(content) ? (content.auths ?? {}) : undefined;
  if (!isRecord(content) || !isRecord(auths))
    return { problem: "The pull secret has no map `auths` of registries." };
  const entries = Object.entries(auths).map(([key, entry]) => [key, credentialIn(entry)] as const);
  const { credHelpers, credsStore } = content;
  const helpers = isRecord(credHelpers) ? Object.entries(credHelpers) : [];
  return {
    credentials: new Map(entries.flatMap(([key, credential]) => (credential ? [[key, credential]] : []))),
    programs: {
      byRegistry: new Map(
        helpers.flatMap(([registry, value]) => {
          const program = programName(value);
          return program === undefined ? [] : [[registry, program] as const];
        }),
      ),
      others: programName(credsStore),
    },
  };
}
