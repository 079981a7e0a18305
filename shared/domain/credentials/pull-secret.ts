import { isRecord } from "../json/values.ts";

/** How a client shows who it is, as an entry of a pull secret has it: at least one of them. */
export type Credential = Readonly<{
  /** The value of a Basic authorization header, without the word: base64 of `user:password`. */
  basic?: string;
  /** What `docker login` got instead of keeping a password: the service for tokens takes it in exchange. */
  identityToken?: string;
  /** What the registry itself takes as a bearer token, as it is. */
  registryToken?: string;
}>;

/**
 * What a `.dockerconfigjson` holds, by its keys as they are written. `programs` have logins that are not in it: the
 * `NAME` of `docker-credential-NAME`, by registry in `credHelpers`, for all others in `credsStore`.
 */
export type PullSecret = Readonly<{
  credentials: ReadonlyMap<string, Credential>;
  /** Registries that are named without a login: so `docker login` leaves them where a program keeps it. */
  empty: readonly string[];
  programs: Readonly<{ byRegistry: ReadonlyMap<string, string>; others: string | undefined }>;
}>;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

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

/** A name as a program may have it; anything else is no name, and may be a secret in the wrong place. */
const programName = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : undefined;

/**
 * Reads a `.dockerconfigjson`, or why it is none: `problem` says so without quoting it. Source of the fields:
 * github.com/docker/cli, cli/config/types and cli/config/configfile.
 */
export function parsePullSecret(text: string): PullSecret | Readonly<{ problem: string }> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's own words would quote the secret.
    return { problem: "The pull secret is no JSON." };
  }
  const auths = isRecord(content) ? (content.auths ?? {}) : undefined;
  if (!isRecord(content) || !isRecord(auths))
    return { problem: "The pull secret has no map `auths` of registries." };
  const entries = Object.entries(auths).map(([key, entry]) => [key, credentialIn(entry)] as const);
  const { credHelpers, credsStore } = content;
  const helpers = isRecord(credHelpers) ? Object.entries(credHelpers) : [];
  return {
    credentials: new Map(entries.flatMap(([key, credential]) => (credential ? [[key, credential]] : []))),
    empty: entries.flatMap(([key, credential]) => (credential ? [] : [key])),
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
