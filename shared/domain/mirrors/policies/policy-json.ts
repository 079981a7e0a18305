import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { ownForm } from "../../openshift/releases/machine-config-operator.ts";
import { policyScopesOf } from "../pull/policy-verdict.ts";

/** The identity that a signature must have. The fields are in the order of the JSON of containers/image. */
export type SignedIdentity =
  | Readonly<{ type: "matchRepoDigestOrExact" | "matchRepository" }>
  | Readonly<{ type: "exactRepository"; dockerRepository: string }>
  | Readonly<{ type: "remapIdentity"; prefix: string; signedPrefix: string }>;

/** Requires a sigstore signature. `…Data` is base64 of PEM. The fields are in the order of containers/image's JSON. */
export type SigstoreRequirement = Readonly<{
  type: "sigstoreSigned";
  keyData?: string;
  fulcio?: Readonly<{ caData: string; oidcIssuer: string; subjectEmail: string }>;
  rekorPublicKeyData?: string;
  pki?: Readonly<{
    caRootsData: string;
    caIntermediatesData?: string;
    subjectEmail?: string;
    subjectHostname?: string;
  }>;
  signedIdentity: SignedIdentity;
}>;

/** One requirement of policy.json; an image must meet all requirements of its scope. */
export type Requirement =
  | Readonly<{ type: "reject" }>
  | Readonly<{ type: "insecureAcceptAnything" }>
  | SigstoreRequirement;

export const reject: Requirement = { type: "reject" };
export const acceptAnything: Requirement = { type: "insecureAcceptAnything" };

/** The requirements of policy.json: the default, and the requirements by scope. */
export type SignaturePolicy = Readonly<{
  default: Requirement;
  scopes: ReadonlyMap<string, readonly Requirement[]>;
}>;

export function addRequirements(
  scopes: Map<string, readonly Requirement[]>,
  scope: string,
  requirements: readonly Requirement[],
): void {
  scopes.set(scope, [...(scopes.get(scope) ?? []), ...requirements]);
}

/** Returns the `repositories` whose images the policy rejects. */
export function rejectedRepositories(
  policy: SignaturePolicy,
  repositories: readonly string[],
): readonly string[] {
  return repositories.filter((repository) => {
    const scope = policyScopesOf({ repository }).find((one) => policy.scopes.has(one));
    return (policy.scopes.get(scope ?? "") ?? [policy.default]).includes(reject);
  });
}

/** The policy.json that machine-config-operator writes if nothing is configured. */
export const policyTemplate = `{
    "default": [
        {
            "type": "insecureAcceptAnything"
        }
    ],
    "transports":
        {
            "docker-daemon":
                {
                    "": [{"type":"insecureAcceptAnything"}]
                }
        }
}`;

/** Characters that Go's encoder escapes so that JSON can be embedded in HTML. */
const htmlUnsafe = /[<>&\u2028\u2029]/g;

function encodeString(text: string): string {
  return JSON.stringify(text).replace(
    htmlUnsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

type Encodable =
  | string
  | readonly Encodable[]
  | ReadonlyMap<string, Encodable>
  | { readonly [key: string]: Encodable };

function isMap(value: Encodable): value is ReadonlyMap<string, Encodable> {
  return value instanceof Map;
}

/** Encodes as Go's `MarshalIndent`, or `Marshal` if `step` is empty: maps are sorted by key, records are not. */
function encode(value: Encodable, step: string, margin = ""): string {
  if (typeof value === "string") return encodeString(value);
  const inner = margin + step;
  const wrap = (open: string, items: readonly string[], close: string): string => {
    if (items.length === 0 || step === "") return open + items.join(",") + close;
    return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${margin}${close}`;
  };
  const colon = step === "" ? ":" : ": ";
  if (Array.isArray(value))
    return wrap(
      "[",
      value.map((item: Encodable) => encode(item, step, inner)),
      "]",
    );
  const fields: readonly [string, Encodable][] = isMap(value)
    ? [...value].sort(([a], [b]) => byCodeUnit(a, b))
    : Object.entries(value);
  return wrap(
    "{",
    fields.map(([key, field]) => encodeString(key) + colon + encode(field, step, inner)),
    "}",
  );
}

function asEncodable(requirements: readonly Requirement[]): Encodable {
  return requirements.map((requirement): Encodable => ({ ...requirement }));
}

/**
 * Encodes policy.json. Scopes for which `isAtomicScope` is false are left out below the transport `atomic`, because the
 * container runtime refuses a file with an invalid scope.
 */
export function encodePolicy(
  { default: fallback, scopes }: SignaturePolicy,
  isAtomicScope: (scope: string) => boolean,
  indent: string = ownForm.policyIndent,
): string {
  const docker = new Map([...scopes].map(([scope, list]) => [scope, asEncodable(list)]));
  const atomic = new Map([...docker].filter(([scope]) => isAtomicScope(scope)));
  const daemon = new Map([["", asEncodable([acceptAnything])]]);
  const transports = new Map<string, Encodable>([
    ...(docker.size > 0
      ? ([
          ["atomic", atomic],
          ["docker", docker],
        ] as const)
      : []),
    ["docker-daemon", daemon],
  ]);
  return encode({ default: asEncodable([fallback]), transports }, indent);
}

/** Returns a namespace's policy: the policy of the whole cluster plus the namespace's own requirements. */
export function withRequirements(policy: SignaturePolicy, own: SignaturePolicy["scopes"]): SignaturePolicy {
  const scopes = new Map(policy.scopes);
  for (const [scope, requirements] of own) addRequirements(scopes, scope, requirements);
  return { ...policy, scopes };
}
