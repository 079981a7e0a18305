import * as z from "zod";
import { sentence } from "../../credentials/redact.ts";
import { parseGoTime } from "../../go-compat/go-time.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { readJson } from "../../json/nesting.ts";
import { kinds, timestamp } from "../../kubernetes/object.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";

/*
 * What Go keeps of a policy when it decodes and encodes it: unknown fields vanish, null is the same as absent, and an
 * empty value is written only where the API requires the field.
 */

const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const requiredText = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const whole = z.int().nullish();
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined);
const time = z
  .string()
  .nullish()
  .transform((value, context) => {
    if (value === null || value === undefined) return undefined;
    const parsed = parseGoTime(value);
    if (parsed) return timestamp(parsed);
    context.addIssue({ code: "custom", message: "It is not an RFC 3339 time" });
    return z.NEVER;
  });
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => (items && items.length > 0 ? items : undefined));
const textMap = z
  .record(z.string(), requiredText)
  .nullish()
  .transform((map) => (map && Object.keys(map).length > 0 ? map : undefined));
const structOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape));

/** Apimachinery's ObjectMeta. */
const metadata = structOf({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: whole.transform((value) => value || undefined),
  creationTimestamp: time.transform(() => undefined),
  deletionTimestamp: time,
  deletionGracePeriodSeconds: whole.transform((value) => value ?? undefined),
  labels: textMap,
  annotations: textMap,
  ownerReferences: listOf(
    structOf({
      apiVersion: requiredText,
      kind: requiredText,
      name: requiredText,
      uid: requiredText,
      controller: flag,
      blockOwnerDeletion: flag,
    }),
  ),
  finalizers: listOf(requiredText),
  managedFields: listOf(
    structOf({
      manager: text,
      operation: text,
      apiVersion: text,
      time,
      fieldsType: text,
      fieldsV1: z
        .unknown()
        .optional()
        .transform((value) => value ?? undefined),
      subresource: text,
    }),
  ),
});

const digestMirrorSet = z
  .object({
    apiVersion: z.literal(kinds.ImageContentSourcePolicy.apiVersion),
    kind: z.literal(kinds.ImageContentSourcePolicy.kind),
    metadata,
    spec: structOf({
      repositoryDigestMirrors: z
        .array(structOf({ source: requiredText, mirrors: listOf(requiredText) }))
        .nullish()
        .transform((rules) => rules ?? []),
    }),
  })
  .transform((policy) => ({
    apiVersion: kinds.ImageDigestMirrorSet.apiVersion,
    kind: kinds.ImageDigestMirrorSet.kind,
    metadata: policy.metadata,
    spec: { imageDigestMirrors: policy.spec.repositoryDigestMirrors },
  }));

/** An ImageDigestMirrorSet as oc makes it: unlike an object of the API it need not have a name. */
export type OcMirrorSet = z.output<typeof digestMirrorSet>;
/** The objects that oc makes of a file, at least one; or why it refuses the file. */
export type OcMigration = Readonly<{ objects: readonly OcMirrorSet[] } | { issue: Issue }>;

class Refusal extends Error {
  override readonly name = "Refusal";
  readonly path: string;
  readonly value: unknown;

  constructor(path: string, message: string, value?: unknown) {
    super(message);
    this.path = path;
    this.value = value;
  }
}

type OcDocument = Readonly<{ content: string; line: number }>;

/**
 * Cuts a stream as oc does: a separator before the first document belongs to it, and the text between two
 * separators is a document even when it is blank.
 */
function* documentsOf(stream: string): Generator<OcDocument, void> {
  let content = "";
  let start = 1;
  const lines = stream.replace(/\r?\n?$/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const separator = /^---\s*(.*)$/s.exec(line);
    if (separator?.[1] && !separator[1].startsWith("#"))
      throw new Refusal(`${index + 1}:1`, "The line of a document separator contains other text");
    if (separator && content !== "") {
      yield { content, line: start };
      content = "";
      start = index + 2;
    } else content += `${line}\n`;
  }
  if (content !== "") yield { content, line: start };
}

/** Like Go, reads as JSON whatever begins with a brace. */
function parsed({ content, line }: OcDocument): unknown {
  try {
    if (!/^[ \t\n\v\f\r\u0085\u00a0]*\{/.test(content))
      return parseYamlDocument(content, { repeatedKeys: "last counts" }).value;
    return readJson(content);
  } catch (error) {
    if (error instanceof YamlDocumentError)
      throw new Refusal(`${line - 1 + error.line}:${error.column}`, error.message);
    if (error instanceof SyntaxError) throw new Refusal(`${line}:1`, error.message);
    throw error;
  }
}

function convert(document: OcDocument): OcMirrorSet {
  const { data, error } = digestMirrorSet.safeParse(parsed(document), { reportInput: true });
  if (data) return data;
  const [{ path = [], message = "", input = undefined } = {}] = error.issues;
  const place = path.length > 0 ? z.core.toDotPath(path) : `${document.line}:1`;
  throw new Refusal(place, sentence`${message}, in the document of line ${document.line}`, input);
}

/** Returns the issue of a file that oc would refuse, or could not read or write. */
export function refusedByOc(file: string, path: string, message: string, value: unknown): Issue {
  return fieldIssue({ kind: "File", name: file }, path, value, {
    code: "RefusedByOc",
    message,
    remedy: "Give ImageContentSourcePolicies only, or convert without --compat oc.",
  });
}

/**
 * Converts the text of one file of ImageContentSourcePolicies to the ImageDigestMirrorSets of `oc adm migrate icsp`:
 * all metadata but creationTimestamp is kept, only types are checked, and one bad document fails the file. `file` is
 * its name in the issue. Source: behaviour of oc in August 2026, compared with its own code on random files.
 */
export function migrateOcCompat(stream: string, file: string): OcMigration {
  if (stream === "") return { issue: refusedByOc(file, "1:1", sentence`${file} has no objects`, "") };
  try {
    return { objects: Array.from(documentsOf(stream), convert) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { issue: refusedByOc(file, error.path, error.message, error.value) };
  }
}
