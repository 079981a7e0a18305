import {
  fieldsOf,
  firstResult,
  isRecord,
  listOf,
  ownValue,
  textOf,
  typeName,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { newestRelease } from "../releases/cluster-releases.ts";
import { type OperatorForm, operatorForm } from "../releases/machine-config-operator.ts";
import { decodeDataUrl } from "./ignition.ts";

/*
 * What machine-config-operator refuses in the Ignition configuration of a MachineConfig: its version, files, directories and
 * links. It reads each MachineConfig of a pool on its own before it merges them. Units, users and disks are not checked.
 * Source: pkg/controller/common/helpers.go (IgnParseWrapper, ValidateIgnition) of MCO release-5.1, and
 * config/v3_*\/types of Ignition v2.20.0.
 */

/** Why machine-config-operator refuses a MachineConfig: a path of the file on the node, or of the field. */
type IgnitionRefusal = Readonly<{ path: string; problem: string }>;

/** The type of a field; null stands for a missing one everywhere. */
type Shape =
  | "a string"
  | "true or false"
  | "an integer"
  | Readonly<{ list: Shape }>
  | Readonly<{ fields: Fields }>;
type Fields = Readonly<Record<string, Shape>>;

const owner = { fields: { id: "an integer", name: "a string" } } as const;
const node = { path: "a string", overwrite: "true or false", user: owner, group: owner } as const;
const headers = { list: { fields: { name: "a string", value: "a string" } } } as const;
const resource = {
  fields: {
    source: "a string",
    compression: "a string",
    verification: { fields: { hash: "a string" } },
  },
} as const;
const file = {
  fields: { ...node, mode: "an integer", contents: resource, append: { list: resource } },
} as const;
const storage = {
  fields: {
    files: { list: file },
    directories: { list: { fields: { ...node, mode: "an integer" } } },
    links: { list: { fields: { ...node, hard: "true or false", target: "a string" } } },
  },
} as const;
const ignition = { fields: { version: "a string" } } as const;

/** Returns the objects of a list; Go reads null as one without fields. */
const itemsOf = (list: unknown): readonly UnknownRecord[] => listOf(list).map(fieldsOf);

const isOfType: Readonly<Record<Extract<Shape, string>, (value: unknown) => boolean>> = {
  "a string": (value) => typeof value === "string",
  "true or false": (value) => typeof value === "boolean",
  "an integer": Number.isSafeInteger,
};

/** Returns the first value that has another type than its field. */
function mistyped(value: unknown, shape: Shape, path: string): IgnitionRefusal | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof shape === "string")
    return isOfType[shape](value)
      ? undefined
      : { path, problem: sentence`the field is ${typeName(value)}, not ${shape}` };
  if ("list" in shape) {
    if (!Array.isArray(value))
      return { path, problem: sentence`the field is ${typeName(value)}, not a list` };
    return firstResult(value.entries(), ([index, item]) => mistyped(item, shape.list, `${path}[${index}]`));
  }
  if (!isRecord(value)) return { path, problem: sentence`the field is ${typeName(value)}, not an object` };
  return firstResult(Object.entries(shape.fields), ([name, field]) =>
    mistyped(ownValue(value, name), field, `${path}.${name}`),
  );
}

/** A version of Ignition; its patch is always 0. */
type Version = Readonly<{ major: number; minor: number }>;

function tryReadVersion(text: unknown): Version | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(textOf(text) ?? "") ?? [];
  return Number(patch) === 0 ? { major: Number(major), minor: Number(minor) } : undefined;
}

/** machine-config-operator converts version 2. */
function isRead({ major, minor }: Version, newest: Version | undefined): boolean {
  return major === 2 ? minor <= 2 : major === 3 && newest !== undefined && minor <= newest.minor;
}

function isAbsoluteAndClean(path: string): boolean {
  return path === "/" || (path.startsWith("/") && !/\/(?:\.{0,2})(?:\/|$)/.test(path));
}

const schemes = [
  { minor: 0, names: ["http", "https", "tftp", "s3"] },
  { minor: 2, names: ["gs"] },
  { minor: 4, names: ["arn"] },
];

function sourceProblem(source: string, minor: number): string | undefined {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(source)?.[1];
  if (scheme === undefined) return "its source is not a URL";
  if (scheme.toLowerCase() === "data") {
    const decoded = decodeDataUrl(source);
    return "problem" in decoded
      ? sentence`its source is not a valid data: URL: ${decoded.problem}`
      : undefined;
  }
  const isKnown = schemes.some((known) => known.minor <= minor && known.names.includes(scheme.toLowerCase()));
  return isKnown ? undefined : sentence`its source has the scheme ${scheme}, which Ignition does not know`;
}

/** The number of hexadecimal digits of each hash; the digits themselves are not checked. */
const hashLengths: ReadonlyMap<string, number> = new Map([
  ["sha512", 128],
  ["sha256", 64],
]);

function hashProblem(hash: string, minor: number): string | undefined {
  const [, name = "", sum = ""] = /^([^-]*)-(.*)$/s.exec(hash) ?? [];
  const length = minor === 0 && name === "sha256" ? undefined : hashLengths.get(name);
  return length === sum.length
    ? undefined
    : "its verification.hash is not sha512- or sha256- with its digits";
}

/** Version 3.0 does not know the field. */
function headersProblem(value: unknown, source: string | undefined): string | undefined {
  const wrong = mistyped(value, headers, "httpHeaders");
  if (wrong) return sentence`${wrong.path}: ${wrong.problem}`;
  const all = itemsOf(value);
  if (all.length === 0) return undefined;
  if (!/^https?:/i.test(source ?? "")) return "it has httpHeaders, but no source with http or https";
  if (all.some((one) => !textOf(one.name) || one.value === ""))
    return "one of its httpHeaders has no name, or an empty value";
  return new Set(all.map(({ name }) => name)).size < all.length
    ? "two of its httpHeaders have the same name"
    : undefined;
}

/** Returns what is wrong with contents of a file, or with what is appended to it. */
function resourceProblem(value: unknown, minor: number): string | undefined {
  const { source, compression, verification, httpHeaders } = fieldsOf(value);
  const { hash } = fieldsOf(verification);
  const url = textOf(source);
  if (typeof compression === "string" && !["", "gzip"].includes(compression))
    return sentence`its compression is ${compression}, not gzip`;
  if (typeof hash === "string" && typeof source !== "string")
    return "it has a verification.hash, but no source";
  return (
    (typeof hash === "string" ? hashProblem(hash, minor) : undefined) ??
    (url === undefined ? undefined : sourceProblem(url, minor)) ??
    (minor === 0 ? undefined : headersProblem(httpHeaders, url))
  );
}

const hasIdAndName = (value: unknown): boolean => {
  const { id, name } = fieldsOf(value);
  return typeof id === "number" && textOf(name) !== undefined;
};

const pathOf = ({ path }: UnknownRecord): string => textOf(path) ?? "";

/** Returns what is wrong with the path or the owner of a file, directory or link. */
function nodeProblem(value: UnknownRecord): string | undefined {
  if (!isAbsoluteAndClean(pathOf(value)))
    return "its path is not absolute, or has a part that is empty, . or ..";
  return [value.user, value.group].some(hasIdAndName) ? "its user or group has an id and a name" : undefined;
}

function modeProblem({ mode }: UnknownRecord, max: number): string | undefined {
  if (typeof mode !== "number" || (mode >= 0 && mode <= max)) return undefined;
  return sentence`its mode is ${octal(mode)}, not 0 to ${octal(max)}`;
}

const octal = (mode: number): string => `${mode < 0 ? "-" : ""}0${Math.abs(mode).toString(8)}`;

/** Ignition accepts more bits, and removes them up to 3.3; machine-config-operator refuses files that have them. */
const permissions = 0o777;
const allBits = 0o7777;

function fileProblem(value: UnknownRecord, minor: number): string | undefined {
  const { overwrite, contents, append } = value;
  if (overwrite === true && typeof fieldsOf(contents).source !== "string")
    return "it has overwrite: true without contents.source";
  return firstResult([contents, ...listOf(append)], (one) => resourceProblem(one, minor));
}

function linkProblem({ target }: UnknownRecord): string | undefined {
  return textOf(target) === undefined ? "the link has no target" : undefined;
}

/** Returns why the nodes exclude each other: two have the same path, or one is below a link. */
function excluding(
  nodes: readonly UnknownRecord[],
  links: readonly UnknownRecord[],
): readonly IgnitionRefusal[] {
  const seen = new Set<string>();
  return nodes.flatMap((one) => {
    const path = pathOf(one);
    const isRepeated = seen.has(path);
    seen.add(path);
    const link = links.map(pathOf).find((above) => path.startsWith(`${above}/`));
    if (link !== undefined) return [{ path, problem: sentence`its path is below the link ${link}` }];
    return isRepeated ? [{ path, problem: "the MachineConfig has its path twice" }] : [];
  });
}

/** Returns the refusals of files, directories and links. Version 2 has the sources of 3.0, and fewer rules. */
function storageRefusals(stored: UnknownRecord, { major, minor }: Version): readonly IgnitionRefusal[] {
  const [files, directories, links] = [stored.files, stored.directories, stored.links].map(itemsOf);
  const refusalsOf = (
    nodes: readonly UnknownRecord[] = [],
    problemOf: (node: UnknownRecord) => string | undefined,
  ): readonly IgnitionRefusal[] =>
    nodes.flatMap((node) => {
      const problem = problemOf(node);
      return problem === undefined ? [] : [{ path: pathOf(node), problem }];
    });
  if (major === 2)
    return refusalsOf(files, (one) => modeProblem(one, permissions) ?? resourceProblem(one.contents, 0));
  const maxMode = minor <= 3 ? allBits : permissions;
  const nodes = [files, directories, links].flatMap((some = []) => some);
  return [
    ...refusalsOf(nodes, nodeProblem),
    ...refusalsOf(files, (one) => modeProblem(one, maxMode) ?? fileProblem(one, minor)),
    ...refusalsOf(directories, (one) => modeProblem(one, allBits)),
    ...refusalsOf(links, linkProblem),
    ...excluding(nodes, links ?? []),
  ];
}

/**
 * Returns why machine-config-operator refuses a MachineConfig: for each file, directory and link, or for the version of
 * Ignition. `newest` is the newest version that the release reads.
 */
export function ignitionRefusals(
  { spec }: KubernetesObject,
  newest: OperatorForm["ignition"] = operatorForm(newestRelease).ignition,
): readonly IgnitionRefusal[] {
  const { config } = fieldsOf(spec);
  if (config === undefined || config === null) return [];
  const shape = { fields: { ignition, storage } };
  const wrong = mistyped(config, shape, "spec.config");
  if (wrong) return [wrong];
  const { ignition: meta, storage: stored } = fieldsOf(config);
  const { version: text } = fieldsOf(meta);
  const version = tryReadVersion(text);
  if (!version || !isRead(version, tryReadVersion(newest))) {
    const given = textOf(text) ?? "a configuration without a version";
    const problem = sentence`the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to ${newest}, not ${given}`;
    return [{ path: "spec.config.ignition.version", problem }];
  }
  return storageRefusals(fieldsOf(stored), version);
}
