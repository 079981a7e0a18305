import { isRecord } from "../json/values.ts";
import { parseGoTime } from "./go-time.ts";

type ScalarType = Readonly<{ of: "string" | "int64" | "bool" | "time"; name: string }>;
type StructType = Readonly<{ of: "struct"; name: string; fields: Readonly<Record<string, GoField>> }>;

/** A Go type, as far as decoding JSON depends on it; `name` is its name in Go's errors. */
export type GoType =
  | ScalarType
  | StructType
  | Readonly<{ of: "list" | "map"; name: string; item: GoType }>
  | Readonly<{ of: "raw" }>;

/**
 * A field of a struct and when it is encoded: always, only when it was given (a pointer), or only when it is not
 * the zero value of its type.
 */
export type GoField = Readonly<{ type: GoType; kept: "always" | "when given" | "unless zero" }>;

export const goString: GoType = { of: "string", name: "string" };
export const goStrings: GoType = { of: "list", name: "[]string", item: goString };

export type GoDecoded = Readonly<{ value: unknown; error?: string }>;

/** The position of a value: the innermost struct, and the names of the fields from the root to the value. */
type Place = Readonly<{ struct: string; path: readonly string[] }>;

const jsonTypes = { string: "string", int64: "number", bool: "boolean" } as const;
const zeros = { string: "", int64: 0, bool: false, time: "" } as const;

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false || value === undefined;
}

function mismatch(what: string, type: string, { struct, path }: Place): string {
  const target = path.length === 0 ? "value" : `struct field ${struct}.${path.join(".")}`;
  return `json: cannot unmarshal ${what} into Go ${target} of type ${type}`;
}

class GoDecoder {
  #mismatch: string | undefined;
  #badTime: string | undefined;

  /** Go continues after a mismatch and reports the first one at the end, but a bad timestamp stops it at once. */
  get error(): string | undefined {
    return this.#badTime ?? this.#mismatch;
  }

  decode(type: GoType, value: unknown, place: Place): unknown {
    switch (type.of) {
      case "raw":
        return value;
      case "list":
        if (value === null) return [];
        if (!Array.isArray(value)) return this.#refuse(jsonKind(value), type.name, place);
        return value.map((item: unknown) => this.decode(type.item, item, place));
      case "map":
        if (value === null) return {};
        if (!isRecord(value)) return this.#refuse(jsonKind(value), type.name, place);
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.decode(type.item, item, place)]),
        );
      case "struct":
        if (value !== null && !isRecord(value)) return this.#refuse(jsonKind(value), type.name, place);
        return this.#struct(type, value ?? {}, place);
      default:
        return this.#scalar(type, value, place);
    }
  }

  #refuse(what: string, type: string, place: Place): undefined {
    this.#mismatch ??= mismatch(what, type, place);
    return undefined;
  }

  #time(type: string, value: unknown, place: Place): string | undefined {
    const isText = typeof value === "string";
    const read = isText ? parseGoTime(value) : { error: mismatch(jsonKind(value), type, place) };
    if ("time" in read) return read.time;
    this.#badTime ??= read.error;
    return undefined;
  }

  #scalar({ of, name }: ScalarType, value: unknown, place: Place): unknown {
    if (value === null) return zeros[of];
    if (of === "time") return this.#time(name, value, place);
    if (typeof value !== jsonTypes[of]) return this.#refuse(jsonKind(value), name, place);
    if (typeof value !== "number") return value;
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return value;
    return this.#refuse(`number ${value}`, name, place);
  }

  #struct({ name, fields }: StructType, value: Readonly<Record<string, unknown>>, { path }: Place): unknown {
    const struct = name.slice(name.lastIndexOf(".") + 1);
    const decoded = new Map<string, unknown>();
    // In the order of the input, which decides which error is the first.
    for (const [key, item] of Object.entries(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) decoded.set(key, this.decode(field.type, item, { struct, path: [...path, key] }));
    }
    const kept = Object.entries(fields).flatMap(([key, field]): [string, unknown][] => {
      if (field.kept === "always") {
        const zero = () => this.decode(field.type, null, { struct, path: [...path, key] });
        return [[key, decoded.get(key) ?? zero()]];
      }
      const isKept = field.kept === "when given" ? (value[key] ?? null) !== null : !isZero(decoded.get(key));
      return isKept ? [[key, decoded.get(key)]] : [];
    });
    return Object.fromEntries(kept);
  }
}

/**
 * Decodes a JSON value into a Go type and returns what Go would encode: unknown fields are dropped, null becomes
 * the type's zero value. `error` is Go's message about the first value that does not fit, in the order of the keys.
 */
export function decodeGo(type: GoType, value: unknown): GoDecoded {
  const decoder = new GoDecoder();
  const decoded = decoder.decode(type, value, { struct: "", path: [] });
  return decoder.error === undefined ? { value: decoded } : { value: decoded, error: decoder.error };
}
