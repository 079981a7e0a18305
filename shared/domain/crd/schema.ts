import { sentence } from "../credentials/redact.ts";
import { fieldsOf, isRecord, isStringList, type UnknownRecord } from "../json/values.ts";

/**
 * A rule of a CRD (`x-kubernetes-validations`). With `usesOldSelf` it compares the value with the stored object,
 * so it holds for every new object.
 */
export type SchemaRule<Rule> = Readonly<{
  rule: Rule;
  usesOldSelf: boolean;
  /** The API server's message when the rule does not hold. */
  message: string;
  /** Replaces `message` when it can be evaluated. */
  messageExpression?: Rule;
  /** For example `FieldValueForbidden`; absent: the value is invalid. */
  reason?: string;
  /** Relative to the validated value, e.g. `.image`. */
  fieldPath?: string;
  /** `oldSelf` is optional, and the rule also applies to new objects. */
  optionalOldSelf?: boolean;
}>;

/**
 * The part of a structural schema that decides what the API server accepts and stores. `Rule` is the form of its
 * rules: the text in CEL as it was read, or a function.
 */
export type Schema<Rule = string> = Readonly<{
  type?: string;
  isIntOrString?: boolean;
  nullable?: boolean;
  default?: unknown;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: ReadonlyMap<string, Schema<Rule>>;
  additionalProperties?: Schema<Rule>;
  items?: Schema<Rule>;
  allOf?: readonly Schema<Rule>[];
  anyOf?: readonly Schema<Rule>[];
  oneOf?: readonly Schema<Rule>[];
  not?: Schema<Rule>;
  listType?: string;
  listMapKeys?: readonly string[];
  /** Fields that the schema does not have are kept. */
  keepsUnknown?: boolean;
  isEmbedded?: boolean;
  rules?: readonly SchemaRule<Rule>[];
}>;

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
const number = (value: unknown) => (typeof value === "number" ? value : undefined);
const flag = (value: unknown) => (value === true ? true : undefined);
const strings = (value: unknown) => (isStringList(value) ? value : undefined);
const list = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord).map(readSchema) : undefined);
const nested = (value: unknown) => (isRecord(value) ? readSchema(value) : undefined);

function defined<Fields extends object>(
  fields: { [Name in keyof Fields]: Fields[Name] | undefined },
): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** Strings in quotes are ignored. */
function mentionsOldSelf(rule: string): boolean {
  return /\boldSelf\b/.test(rule.replace(/"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?/gs, '""'));
}

function readRule(fields: UnknownRecord): SchemaRule<string> {
  const rule = text(fields.rule) ?? "";
  const message = text(fields.message)?.trim();
  return defined<SchemaRule<string>>({
    rule,
    usesOldSelf: mentionsOldSelf(rule),
    message: message || sentence`failed rule: ${rule.trim()}`,
    messageExpression: text(fields.messageExpression),
    reason: text(fields.reason),
    fieldPath: text(fields.fieldPath),
    optionalOldSelf: flag(fields.optionalOldSelf),
  });
}

/** Reads the `openAPIV3Schema` of a CRD, or one inside it. Fields of an unexpected type are ignored. */
export function readSchema(fields: UnknownRecord): Schema {
  const { properties, "x-kubernetes-validations": rules } = fields;
  return defined<Schema>({
    type: text(fields.type),
    isIntOrString: flag(fields["x-kubernetes-int-or-string"]),
    nullable: flag(fields.nullable),
    default: fields.default,
    enum: Array.isArray(fields.enum) ? fields.enum : undefined,
    format: text(fields.format),
    pattern: text(fields.pattern),
    minLength: number(fields.minLength),
    maxLength: number(fields.maxLength),
    minimum: number(fields.minimum),
    maximum: number(fields.maximum),
    exclusiveMinimum: flag(fields.exclusiveMinimum),
    exclusiveMaximum: flag(fields.exclusiveMaximum),
    minItems: number(fields.minItems),
    maxItems: number(fields.maxItems),
    minProperties: number(fields.minProperties),
    maxProperties: number(fields.maxProperties),
    required: strings(fields.required),
    properties: isRecord(properties)
      ? new Map(
          Object.entries(properties).flatMap(([name, value]) =>
            isRecord(value) ? [[name, readSchema(value)] as const] : [],
          ),
        )
      : undefined,
    additionalProperties: nested(fields.additionalProperties),
    items: nested(fields.items),
    allOf: list(fields.allOf),
    anyOf: list(fields.anyOf),
    oneOf: list(fields.oneOf),
    not: nested(fields.not),
    listType: text(fields["x-kubernetes-list-type"]),
    listMapKeys: strings(fields["x-kubernetes-list-map-keys"]),
    keepsUnknown: flag(fields["x-kubernetes-preserve-unknown-fields"]),
    isEmbedded: flag(fields["x-kubernetes-embedded-resource"]),
    rules: Array.isArray(rules) ? rules.filter(isRecord).map(readRule) : undefined,
  });
}

/** Returns the same schema with its rules in another form. */
export function mapRules<From, To>(
  schema: Schema<From>,
  to: (rule: From, optionalOldSelf: boolean) => To,
): Schema<To> {
  const map = (nested: Schema<From> | undefined) => nested && mapRules(nested, to);
  const { properties, additionalProperties, items, allOf, anyOf, oneOf, not, rules, ...plain } = schema;
  return defined<Schema<To>>({
    ...plain,
    properties:
      properties && new Map([...properties].map(([name, value]) => [name, mapRules(value, to)] as const)),
    additionalProperties: map(additionalProperties),
    items: map(items),
    allOf: allOf?.map((one) => mapRules(one, to)),
    anyOf: anyOf?.map((one) => mapRules(one, to)),
    oneOf: oneOf?.map((one) => mapRules(one, to)),
    not: map(not),
    rules: rules?.map(({ rule, messageExpression, ...fields }) => ({
      ...fields,
      rule: to(rule, fields.optionalOldSelf === true),
      ...(messageExpression === undefined ? {} : { messageExpression: to(messageExpression, false) }),
    })),
  });
}

/** One version of a CustomResourceDefinition, with what validates its objects. */
export type CrdVersion = Readonly<{ apiVersion: string; kind: string; schema: Schema }>;

/** Returns the served versions of a CustomResourceDefinition; none for a manifest of another kind. */
export function readCrd(manifest: unknown): readonly CrdVersion[] {
  if (!isRecord(manifest) || manifest.kind !== "CustomResourceDefinition" || !isRecord(manifest.spec))
    return [];
  const { group, names, versions } = manifest.spec;
  const kind = isRecord(names) ? text(names.kind) : undefined;
  if (typeof group !== "string" || !kind || !Array.isArray(versions)) return [];
  return versions.filter(isRecord).flatMap(({ name, served, schema }) => {
    const root = fieldsOf(schema).openAPIV3Schema;
    return typeof name === "string" && served === true && isRecord(root)
      ? [{ apiVersion: `${group}/${name}`, kind, schema: readSchema(root) }]
      : [];
  });
}
