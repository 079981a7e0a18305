import type { PolicyFields } from "./policy-fields.ts";
import { isIdentityPrefix } from "./policy-scope.ts";
import type { SignedIdentity } from "./requirement.ts";

const root = "spec.policy.signedIdentity";

function readPrefix(fields: PolicyFields, path: string, value: unknown): string | undefined {
  const prefix = fields.text(path, value);
  if (prefix === undefined || isIdentityPrefix(prefix)) return prefix;
  return fields.refuse(
    path,
    prefix,
    "must be host[:port][/path] with a full host name, without tag or digest",
  );
}

/** Reads `signedIdentity`; without it a signature must match the repository, and the tag if there is one. */
export function readIdentity(fields: PolicyFields, value: unknown): SignedIdentity | undefined {
  if (value === undefined) return { type: "matchRepoDigestOrExact" };
  const identity = fields.record(root, value);
  switch (identity.matchPolicy) {
    case "MatchRepoDigestOrExact":
      return { type: "matchRepoDigestOrExact" };
    case "MatchRepository":
      return { type: "matchRepository" };
    case "ExactRepository": {
      const path = `${root}.exactRepository`;
      const exact = fields.record(path, identity.exactRepository);
      const dockerRepository = readPrefix(fields, `${path}.repository`, exact.repository);
      return dockerRepository === undefined ? undefined : { type: "exactRepository", dockerRepository };
    }
    case "RemapIdentity": {
      const path = `${root}.remapIdentity`;
      const remap = fields.record(path, identity.remapIdentity);
      const prefix = readPrefix(fields, `${path}.prefix`, remap.prefix);
      const signedPrefix = readPrefix(fields, `${path}.signedPrefix`, remap.signedPrefix);
      return prefix === undefined || signedPrefix === undefined
        ? undefined
        : { type: "remapIdentity", prefix, signedPrefix };
    }
    default:
      return fields.refuse(
        `${root}.matchPolicy`,
        identity.matchPolicy,
        "must be MatchRepoDigestOrExact, MatchRepository, ExactRepository or RemapIdentity",
      );
  }
}
