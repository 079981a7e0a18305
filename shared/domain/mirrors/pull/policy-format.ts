import { parseDockerReference } from "../../images/docker-reference.ts";
import { isDigest, isHost } from "../../images/image-reference.ts";
import { isMirror } from "../../images/location-patterns.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { repeatedKey } from "../../kubernetes/json/repeated-key.ts";
import {
  firstResult,
  isRecord,
  ownValue,
  parseJson,
  typeName,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import { isBase64 } from "../../openshift/machine-config/ignition.ts";
import { sentence } from "../../text/redact.ts";

/*
 * What the container runtime refuses in a policy.json: the whole file, so that it pulls nothing.
 * Source: containers/image v5.36.2, signature/policy_config.go and policy_config_sigstore.go.
 */

/** Returns what is wrong with a value; undefined for a valid one. */
type Check = (value: unknown) => string | undefined;
type Checks = Readonly<Record<string, Check>>;

/** Go leaves a field as it was where JSON has null; lists and data are null then, and texts empty. */
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const typed =
  (wanted: string, is: (value: unknown) => boolean): Check =>
  (value) =>
    value === null || is(value) ? undefined : sentence`is ${typeName(value)}, not ${wanted}`;
const text = typed("a string", (value) => typeof value === "string");
const isByte = (value: unknown): boolean =>
  value === null || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255);
/** Go also reads a list of numbers as data. */
const base64 = typed("base64", (value) =>
  Array.isArray(value) ? value.every(isByte) : typeof value === "string" && isBase64(value),
);

/** Names the field in what is wrong with it; a problem inside of it begins with a path. */
function named(field: string, problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return /^[.[]/.test(problem) ? field + problem : sentence`${field}: it ${problem}`;
}

const listOf =
  (item: Check): Check =>
  (value) => {
    if (value === null) return undefined;
    if (!Array.isArray(value)) return sentence`is ${typeName(value)}, not a list`;
    return firstResult(value.entries(), ([index, one]) => named(`[${index}]`, item(one)));
  };
const filledListOf =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 ? listOf(item)(value) : "has no entries";

/** Checks an object that has these keys only; all of them, unless `more` checks what is missing. */
const object =
  (checks: Checks, more?: (value: UnknownRecord) => string | undefined): Check =>
  (value) => {
    if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(checks, key));
    if (unknown !== undefined) return sentence`has the unknown key ${goQuote(unknown)}`;
    const missing = more ? undefined : Object.keys(checks).find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return sentence`has no ${missing}`;
    const wrong = firstResult(Object.entries(value), ([key, field]) =>
      named(`.${key}`, ownValue(checks, key)?.(field)),
    );
    return wrong ?? more?.(value);
  };

/** Checks an object by its `type`. */
const byType =
  (kind: string, types: Checks): Check =>
  (value) => {
    if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
    if (value.type === undefined) return "has no type";
    const check = typeof value.type === "string" ? ownValue(types, value.type) : undefined;
    const given = typeof value.type === "string" ? goQuote(value.type) : typeName(value.type);
    return check ? check(value) : sentence`has the unknown ${kind} ${given}`;
  };

const count = (value: UnknownRecord, keys: readonly string[], is: (field: unknown) => boolean): number =>
  keys.filter((key) => is(ownValue(value, key))).length;

/** Returns how many of these fields are set: texts that are not empty, lists and data that are not null. */
const sources = (value: UnknownRecord, texts: readonly string[], others: readonly string[]): number =>
  count(value, texts, isSet) + count(value, others, isPresent);

const exactlyOneOf = (names: string): string => sentence`must have exactly one of ${names}`;

/** A reference as docker writes it: docker.io is implied. */
function reference(value: unknown): ReturnType<typeof parseDockerReference> {
  const given = typeof value === "string" ? value : "";
  const parsed = parseDockerReference(given);
  if ("error" in parsed || /^[a-f0-9]{64}$/.test(given)) return { error: "is not an image reference" };
  const { registry, namespace, digest } = parsed.reference;
  const isValid =
    (registry !== "" || namespace === namespace.toLowerCase()) && (digest === "" || isDigest(digest));
  return isValid ? parsed : { error: "is not an image reference" };
}

const repository: Check = (value) => {
  const parsed = reference(value);
  return text(value) ?? ("error" in parsed ? parsed.error : undefined);
};
const versioned: Check = (value) => {
  const parsed = reference(value);
  if ("error" in parsed) return repository(value);
  return parsed.reference.tag + parsed.reference.digest === "" ? "has neither tag nor digest" : undefined;
};
const prefix: Check = (value) =>
  typeof value === "string" && (isMirror(value) || isHost(value))
    ? undefined
    : "is not a registry, a namespace or a repository";

const identity = byType("type of identity", {
  matchExact: object({ type: text }),
  matchRepoDigestOrExact: object({ type: text }),
  matchRepository: object({ type: text }),
  exactReference: object({ type: text, dockerReference: versioned }),
  exactRepository: object({ type: text, dockerRepository: repository }),
  remapIdentity: object({ type: text, prefix, signedPrefix: prefix }),
});

const keyTypes = new Set<unknown>(["GPGKeys", "signedByGPGKeys", "X509Certificates", "signedByX509CAs"]);
const keyType: Check = (value) => (keyTypes.has(value) ? undefined : "is unknown");

const keyFields = ["keyPath", "keyPaths", "keyData"];
const signedBy = object(
  { type: text, keyType, keyPath: text, keyPaths: listOf(text), keyData: base64, signedIdentity: identity },
  (value) => {
    if (value.keyType === undefined) return "has no keyType";
    const isOne = count(value, keyFields, (field) => field !== undefined) === 1;
    return isOne && sources(value, ["keyPath"], ["keyPaths", "keyData"]) === 1
      ? undefined
      : exactlyOneOf("keyPath, keyPaths and keyData");
  },
);

const fulcio = object({ caPath: text, caData: base64, oidcIssuer: text, subjectEmail: text }, (value) => {
  if (sources(value, ["caPath"], ["caData"]) !== 1) return exactlyOneOf("caPath and caData");
  return isSet(value.oidcIssuer) && isSet(value.subjectEmail)
    ? undefined
    : "has no oidcIssuer or no subjectEmail";
});

const pki = object(
  {
    caRootsPath: text,
    caRootsData: base64,
    caIntermediatesPath: text,
    caIntermediatesData: base64,
    subjectEmail: text,
    subjectHostname: text,
  },
  (value) => {
    if (sources(value, ["caRootsPath"], ["caRootsData"]) !== 1)
      return exactlyOneOf("caRootsPath and caRootsData");
    if (sources(value, ["caIntermediatesPath"], ["caIntermediatesData"]) > 1)
      return "has caIntermediatesPath and caIntermediatesData";
    return isSet(value.subjectEmail) || isSet(value.subjectHostname)
      ? undefined
      : "has neither subjectEmail nor subjectHostname";
  },
);

const sigstoreSigned = object(
  {
    type: text,
    keyPath: text,
    keyPaths: filledListOf(text),
    keyData: base64,
    keyDatas: filledListOf(base64),
    fulcio,
    pki,
    rekorPublicKeyPath: text,
    rekorPublicKeyPaths: filledListOf(text),
    rekorPublicKeyData: base64,
    rekorPublicKeyDatas: filledListOf(base64),
    signedIdentity: identity,
  },
  (value) => {
    if (sources(value, ["keyPath"], ["keyPaths", "keyData", "keyDatas", "fulcio", "pki"]) !== 1)
      return exactlyOneOf("keyPath, keyPaths, keyData, keyDatas, fulcio and pki");
    const rekor = sources(
      value,
      ["rekorPublicKeyPath"],
      ["rekorPublicKeyPaths", "rekorPublicKeyData", "rekorPublicKeyDatas"],
    );
    if (rekor > 1) return "has more than one of the rekorPublicKey fields";
    if (value.fulcio !== undefined && rekor === 0) return "has fulcio, but none of the rekorPublicKey fields";
    return value.pki !== undefined && rekor > 0 ? "has pki and one of the rekorPublicKey fields" : undefined;
  },
);

const requirement = byType("type of requirement", {
  insecureAcceptAnything: object({ type: text }),
  reject: object({ type: text }),
  signedBy,
  signedBaseLayer: object({ type: text, baseLayerIdentity: identity }),
  sigstoreSigned,
});

const requirements: Check = (value) => {
  if (value !== null && !Array.isArray(value))
    return sentence`is ${typeName(value)}, not a list of requirements`;
  const list: readonly unknown[] = value ?? [];
  if (list.length === 0) return "has no requirements";
  return firstResult(list.entries(), ([index, one]) => named(`[${index}]`, requirement(one)));
};

/** The `atomic` transport accepts at most registry/namespace/name:tag, and fails on any other scope. */
export function isAtomicScope(scope: string): boolean {
  return /^[^/]*(?:\/[^:/]*(?:\/[^:/]*(?::[^:/]*)?)?)?$/.test(scope);
}

const isPath = (scope: string): boolean => /^(?:\/(?!\.{0,2}(?:\/|$))[^/]*)+$/.test(scope);
const noScope = () => false;
/** Whether a transport accepts a scope that is not empty; the others accept any. */
const scopesOf: Readonly<Record<string, (scope: string) => boolean>> = {
  atomic: isAtomicScope,
  dir: isPath,
  oci: isPath,
  "oci-archive": isPath,
  sif: isPath,
  "docker-archive": noScope,
  tarball: noScope,
  "docker-daemon": (scope) => !isDigest(scope),
};

const transports: Check = (value) => {
  if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
  return firstResult(Object.entries(value), ([transport, scopes]) => {
    if (!isRecord(scopes)) return sentence`.${transport}: it is ${typeName(scopes)}, not an object`;
    return firstResult(Object.entries(scopes), ([scope, list]) => {
      const field = sentence`.${transport}[${goQuote(scope)}]`;
      const isAccepted = scope === "" || ownValue(scopesOf, transport)?.(scope) !== false;
      return named(field, isAccepted ? requirements(list) : "is not a scope of this transport");
    });
  });
};

const policy = object({ default: requirements, transports }, (value) =>
  Object.hasOwn(value, "default") ? undefined : "has no default",
);

/** Returns why the container runtime refuses a policy.json; undefined when it reads it. */
export function policyProblem(policyJson: string): string | undefined {
  const value = parseJson(policyJson);
  if (value === undefined) return "it is not a valid signature policy: it is not JSON";
  const repeated = repeatedKey(policyJson);
  const problem = repeated === undefined ? policy(value) : sentence`has the key ${goQuote(repeated)} twice`;
  const where = named("", problem)?.replace(/^[.: ]+/, "");
  return where && sentence`it is not a valid signature policy: ${where}`;
}
