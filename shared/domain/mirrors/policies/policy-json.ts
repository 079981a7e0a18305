import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { ownForm } from "../../openshift/releases/machine-config-operator.ts";
import { acceptAnything, addRequirements, type Requirement, type SignaturePolicy } from "./requirement.ts";

/** The file that machine-config-operator writes on every node without configuration. */
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

/** Go's encoder escapes these so that JSON can be embedded in HTML. */
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

/**
 * Like Go's `MarshalIndent`, and `Marshal` without a step of indentation: records in their own order, maps by key. Each
 * line starts with `margin`.
 */
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
 * Encodes policy.json with this indentation of a level. `isAtomicScope` reports whether the `atomic` transport accepts a scope: it knows fewer name
 * components than `docker`, and an invalid scope makes the runtime refuse the whole file.
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

/** Returns a namespace's policy: that of the whole cluster plus the namespace's own requirements. */
export function withRequirements(policy: SignaturePolicy, own: SignaturePolicy["scopes"]): SignaturePolicy {
  const scopes = new Map(policy.scopes);
  for (const [scope, requirements] of own) addRequirements(scopes, scope, requirements);
  return { ...policy, scopes };
}
