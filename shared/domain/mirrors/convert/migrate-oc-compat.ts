import { decodeGo, type GoField, type GoType, goString, goStrings } from "../../go-compat/go-decode.ts";
import { goObjectMeta } from "../../go-compat/go-object-meta.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { writeGoYaml } from "../../go-compat/go-yaml.ts";
import { byCodeUnit } from "../../json/order.ts";
import { isRecord, type UnknownRecord } from "../../json/values.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";
import { maxDepth } from "../../manifests/yaml-value.ts";
import { isKnownToOc } from "./oc-kinds.ts";

/**
 * The result of oc for one file: the text of the converted objects and the name of the first one, which becomes
 * part of the output file's name; or oc's error.
 */
export type OcMigration = Readonly<{ text: string; name: string } | { error: string }>;

const kind = "ImageContentSourcePolicy";

/** An error in oc's words without the name of the file: `error decoding … from FILE: detail`. */
class OcError extends Error {
  override readonly name = "OcError";
  readonly failure: string;

  constructor(failure: "error reading" | "error decoding" | "could not decode", detail = "") {
    super(detail);
    this.failure = failure;
  }

  about(file: string): string {
    return `${this.failure} ${kind} from ${file}${this.message === "" ? "" : `: ${this.message}`}`;
  }
}

const scheme = "github.com/openshift/client-go/operator/clientset/versioned/scheme/register.go:15";
const version = "operator.openshift.io/v1alpha1";
const rule: GoType = {
  of: "struct",
  name: "v1alpha1.RepositoryDigestMirrors",
  fields: {
    source: { type: goString, kept: "always" },
    mirrors: { type: goStrings, kept: "unless zero" },
  },
};
const rules: GoField = {
  type: { of: "list", name: "[]v1alpha1.RepositoryDigestMirrors", item: rule },
  kept: "always",
};
const policy: GoType = {
  of: "struct",
  name: `v1alpha1.${kind}`,
  fields: {
    metadata: { type: goObjectMeta, kept: "always" },
    spec: {
      type: { of: "struct", name: `v1alpha1.${kind}Spec`, fields: { repositoryDigestMirrors: rules } },
      kept: "always",
    },
  },
};
/** The anonymous struct that oc decodes first. */
const typeMeta: GoType = {
  of: "struct",
  name: "",
  fields: {
    apiVersion: { type: goString, kept: "always" },
    kind: { type: goString, kept: "always" },
  },
};
const typeMetaName =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Cuts a stream as oc does: a separator before the first document belongs to it, and the text between two
 * separators is a document even when it is blank.
 */
function* documentsOf(text: string): Generator<string, void> {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  let document = "";
  for (const line of lines) {
    if (line.startsWith("---")) {
      const rest = line.slice(3).trim();
      if (rest !== "" && !rest.startsWith("#")) {
        throw new OcError("error reading", `invalid Yaml document separator: ${rest}`);
      }
      if (document !== "") {
        yield document;
        document = "";
        continue;
      }
    }
    document += `${line}\n`;
  }
  if (document !== "") yield document;
}

/** Go converts YAML to JSON first, which sorts the keys: which error comes first depends on it. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(entries.map(([key, field]) => [key, withSortedKeys(field)]));
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth < 0 || Object.values(value).some((item) => isDeeperThan(depth - 1, item));
}

/** Go's parsers have messages of their own; for invalid JSON or YAML, hubrelay's message is used instead. */
function parsed(document: string): unknown {
  if (/^[ \t\n\v\f\r\u0085\u00a0]*\{/.test(document)) {
    try {
      const value: unknown = JSON.parse(document);
      if (!isDeeperThan(maxDepth, value)) return value;
      throw new OcError("error decoding", "couldn't get version/kind; json parse error: exceeded max depth");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new OcError("error decoding", `couldn't get version/kind; json parse error: ${error.message}`);
    }
  }
  try {
    return withSortedKeys(parseYamlDocument(document, { repeatedKeys: "last counts" }).value);
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    throw new OcError("error decoding", `yaml: line ${error.line}: ${error.message}`);
  }
}

function checkKind(value: unknown, document: string): void {
  const { value: meta, error } = decodeGo(typeMeta, value);
  if (error) {
    const said = error.replace(/of type $/, `of type ${typeMetaName}`);
    throw new OcError("error decoding", `couldn't get version/kind; json parse error: ${said}`);
  }
  const { apiVersion = "", kind: found = "" }: UnknownRecord = isRecord(meta) ? meta : {};
  const parts = String(apiVersion).split("/");
  if (parts.length > 2) throw new OcError("error decoding", `unexpected GroupVersion string: ${apiVersion}`);
  if (found === "") throw new OcError("error decoding", `Object 'Kind' is missing in '${document}'`);
  if (parts.at(-1) === "")
    throw new OcError("error decoding", `Object 'apiVersion' is missing in '${document}'`);
  const groupVersion = parts.filter((part) => part !== "").join("/");
  if (!isKnownToOc(groupVersion, String(found))) {
    throw new OcError(
      "error decoding",
      `no kind ${goQuote(String(found))} is registered for version ${goQuote(groupVersion)} in scheme "${scheme}"`,
    );
  }
  if (groupVersion !== version || found !== kind) throw new OcError("could not decode");
}

function convert(document: string): { text: string; name: string } {
  const value = parsed(document);
  checkKind(value, document);
  const decoded = decodeGo(policy, value);
  if (decoded.error) throw new OcError("error decoding", decoded.error);
  const { metadata, spec } = isRecord(decoded.value) ? decoded.value : {};
  const { creationTimestamp: _, ...kept } = isRecord(metadata) ? metadata : {};
  const digestMirrorSet = {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: kept,
    spec: { imageDigestMirrors: isRecord(spec) ? spec.repositoryDigestMirrors : [] },
  };
  return { text: writeGoYaml(digestMirrorSet), name: typeof kept.name === "string" ? kept.name : "" };
}

/**
 * Converts the text of one file of ImageContentSourcePolicies to ImageDigestMirrorSets exactly as `oc adm migrate
 * icsp` does: all metadata but creationTimestamp is kept, only types are checked, and one bad document fails the file.
 * `file` is its name in messages. Source: behaviour of oc in August 2026, compared with its own code on random files.
 */
export function migrateOcCompat(text: string, file: string): OcMigration {
  if (text === "") return { error: `no data found in ImageContentSourceFile ${file}` };
  try {
    const converted = Array.from(documentsOf(text), convert);
    return { text: converted.map((document) => document.text).join("---\n"), name: converted[0]?.name ?? "" };
  } catch (error) {
    if (!(error instanceof OcError)) throw error;
    return { error: error.about(file) };
  }
}
