import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { repeatedKey } from "../../kubernetes/json/repeated-key.ts";
import {
  firstResult,
  isRecord,
  listOf,
  ownValue,
  parseJson,
  typeName,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";

/**
 * This file finds what makes the container runtime refuse a whole policy.json and pull no image. Values such as base64
 * are not checked: test/parity/node-files.test.ts names them.
 * Source: containers/image v5.36.2, signature/policy_config.go and policy_config_sigstore.go.
 */

/** Why a value is invalid; undefined if it is valid. The problem of an inner field begins with the field's path. */
type Problem = string | undefined;

type Types = Readonly<Record<string, readonly string[]>>;

const keySources = {
  signedBy: ["keyPath", "keyPaths", "keyData"],
  sigstoreSigned: ["keyPath", "keyPaths", "keyData", "keyDatas", "fulcio", "pki"],
} as const;
const rekorKeys = ["Path", "Paths", "Data", "Datas"].map((name) => `rekorPublicKey${name}`);

const requirementTypes: Types = {
  insecureAcceptAnything: [],
  reject: [],
  signedBy: ["keyType", "signedIdentity", ...keySources.signedBy],
  signedBaseLayer: ["baseLayerIdentity"],
  sigstoreSigned: ["signedIdentity", ...keySources.sigstoreSigned, ...rekorKeys],
};
const identityTypes: Types = {
  matchExact: [],
  matchRepoDigestOrExact: [],
  matchRepository: [],
  exactReference: ["dockerReference"],
  exactRepository: ["dockerRepository"],
  remapIdentity: ["prefix", "signedPrefix"],
};

function named(field: string, problem: Problem): Problem {
  if (problem === undefined) return undefined;
  return /^[.[]/.test(problem) ? field + problem : sentence`${field}: it ${problem}`;
}

function unknownKey(value: UnknownRecord, known: readonly string[]): Problem {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : sentence`has the unknown key ${goQuote(unknown)}`;
}

function typedProblem(value: unknown, kind: string, types: Types): Problem {
  if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
  const { type } = value;
  if (type === undefined) return "has no type";
  const keys = typeof type === "string" ? ownValue(types, type) : undefined;
  if (keys) return unknownKey(value, ["type", ...keys]);
  return sentence`has the unknown ${kind} ${typeof type === "string" ? goQuote(type) : typeName(type)}`;
}

/** Go treats null and empty texts as unset. */
const countOf = (value: UnknownRecord, keys: readonly string[]): number =>
  keys.filter((key) => ![undefined, null, ""].some((nothing) => ownValue(value, key) === nothing)).length;

function requirementProblem(value: unknown): Problem {
  const wrong = typedProblem(value, "type of requirement", requirementTypes);
  if (wrong !== undefined || !isRecord(value)) return wrong;
  const sources = typeof value.type === "string" && ownValue(keySources, value.type);
  if (sources && countOf(value, sources) !== 1)
    return sentence`must have exactly one of ${sources.join(", ").replace(/, (\w+)$/, " and $1")}`;
  const rekor = countOf(value, rekorKeys);
  if (rekor > 1) return "has more than one of the rekorPublicKey fields";
  if (value.fulcio !== undefined && rekor === 0) return "has fulcio, but none of the rekorPublicKey fields";
  if (value.pki !== undefined && rekor > 0) return "has pki and one of the rekorPublicKey fields";
  return firstResult(["signedIdentity", "baseLayerIdentity"], (field) =>
    Object.hasOwn(value, field)
      ? named(`.${field}`, typedProblem(ownValue(value, field), "type of identity", identityTypes))
      : undefined,
  );
}

function requirementsProblem(value: unknown): Problem {
  if (value !== null && !Array.isArray(value))
    return sentence`is ${typeName(value)}, not a list of requirements`;
  if (listOf(value).length === 0) return "has no requirements";
  return firstResult(listOf(value).entries(), ([index, one]) => named(`[${index}]`, requirementProblem(one)));
}

function transportsProblem(value: unknown): Problem {
  if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
  return firstResult(Object.entries(value), ([transport, scopes]) => {
    if (!isRecord(scopes)) return sentence`.${transport}: it is ${typeName(scopes)}, not an object`;
    return firstResult(Object.entries(scopes), ([scope, list]) =>
      named(sentence`.${transport}[${goQuote(scope)}]`, requirementsProblem(list)),
    );
  });
}

function formatProblem(value: unknown): Problem {
  if (!isRecord(value)) return sentence`is ${typeName(value)}, not an object`;
  const { default: fallback, transports = {} } = value;
  return (
    unknownKey(value, ["default", "transports"]) ??
    (fallback === undefined ? "has no default" : named(".default", requirementsProblem(fallback))) ??
    named(".transports", transportsProblem(transports))
  );
}

/** Returns the reason why the container runtime refuses a policy.json; undefined if the checked parts are valid. */
export function policyProblem(policyJson: string): string | undefined {
  const value = parseJson(policyJson);
  if (value === undefined) return "it is not a valid signature policy: it is not JSON";
  const repeated = repeatedKey(policyJson);
  const problem =
    repeated === undefined ? formatProblem(value) : sentence`has the key ${goQuote(repeated)} twice`;
  const where = named("", problem)?.replace(/^[.: ]+/, "");
  return where && sentence`it is not a valid signature policy: ${where}`;
}
