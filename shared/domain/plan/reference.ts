import { isRecord, type UnknownRecord } from "../kubernetes/json/values.ts";
import { type ObjectReference, referenceTo } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { type Refusal, refusal, shown } from "./envelope.ts";

/** Only plain names are valid: anyone may send events, and references become parts of request paths and file names. */
const rules = {
  apiVersion: {
    pattern: /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
    maxLength: 317,
    what: "an API version such as config.openshift.io/v1",
  },
  kind: {
    pattern: /^[A-Za-z][A-Za-z0-9]*$/,
    maxLength: 63,
    what: "a kind such as ImageDigestMirrorSet",
  },
  name: {
    pattern: /^[A-Za-z0-9](?:[-A-Za-z0-9._:]*[A-Za-z0-9])?$/,
    maxLength: 253,
    what: "an object's name",
  },
  namespace: {
    pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
    maxLength: 63,
    what: "a namespace's name",
  },
  // A managed cluster's name is also the name of its namespace on the hub.
  cluster: {
    pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
    maxLength: 63,
    what: "a managed cluster's name",
  },
  uid: { pattern: /^[-A-Za-z0-9]+$/, maxLength: 63, what: "a uid" },
  resourceVersion: { pattern: /^[-A-Za-z0-9]+$/, maxLength: 63, what: "a resourceVersion" },
} as const;

const required: ReadonlySet<string> = new Set(["apiVersion", "kind", "name"]);

type Read = (field: keyof typeof rules) => string;

function reader(object: UnknownRecord, path: string, problems: string[]): Read {
  return (field) => {
    const value = object[field];
    // Go encoders write null, "" or nothing for an empty field.
    if (value === undefined || value === null || value === "") {
      if (required.has(field)) problems.push(sentence`${path}.${field} is missing.`);
      return "";
    }
    const { pattern, maxLength, what } = rules[field];
    if (typeof value === "string" && value.length <= maxLength && pattern.test(value)) return value;
    problems.push(sentence`${path}.${field} is ${shown(value)}, not ${what}.`);
    return "";
  };
}

export type ReferenceResult = Readonly<{ ok: true; reference: ObjectReference }> | Refusal;

function readReference(
  ofType: Read,
  ofObject: Read,
  problems: readonly string[],
  ofReference: Read = () => "",
): ReferenceResult {
  const apiVersion = ofType("apiVersion");
  const kind = ofType("kind");
  const name = ofObject("name");
  const namespace = ofObject("namespace");
  const uid = ofObject("uid");
  const resourceVersion = ofObject("resourceVersion");
  const cluster = ofReference("cluster");
  const [problem] = problems;
  if (problem) return refusal(problem);
  return {
    ok: true,
    reference: {
      ...referenceTo({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }),
      ...(cluster ? { cluster } : {}),
    },
  };
}

/** Returns the object reference in `data`, without unknown fields; a refusal if it is invalid. Never throws. */
export function parseReference(data: unknown, path: string): ReferenceResult {
  if (!isRecord(data)) return refusal(sentence`${path} is ${shown(data)}, not an object reference.`);
  const problems: string[] = [];
  const read = reader(data, path, problems);
  return readReference(read, read, problems, read);
}

/** Returns a reference to the Kubernetes object `data`; a refusal if `data` is not a valid object. Never throws. */
export function parseObjectAsReference(data: unknown, path: string): ReferenceResult {
  if (!isRecord(data)) return refusal(sentence`${path} is ${shown(data)}, not a Kubernetes object.`);
  const { metadata } = data;
  if (!isRecord(metadata)) return refusal(sentence`${path}.metadata is ${shown(metadata)}, not an object.`);
  const problems: string[] = [];
  return readReference(
    reader(data, path, problems),
    reader(metadata, `${path}.metadata`, problems),
    problems,
  );
}
