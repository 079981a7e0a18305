import { byGoKeyOrder } from "./go-key-order.ts";
import { isSimpleKey, writeKey, writeString } from "./go-yaml-scalar.ts";

const step = 4;

/** Levels are indented to the next multiple of four; the content after `- ` starts two columns further. */
function childIndent(indent: number, inList: boolean): number {
  return inList ? indent + 2 : step * Math.floor((indent + step) / step);
}

function writeNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return String(value);
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  // Go changes to an exponent earlier than JavaScript.
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function writeScalar(value: unknown, indent: number): string {
  if (typeof value === "string") return writeString(value, indent);
  return typeof value === "number" ? writeNumber(value) : String(value);
}

function writeEntry(key: string, value: unknown, indent: number): string {
  if (isSimpleKey(key)) return `${writeKey(key)}:${writeNode(value, indent, "own line")}`;
  const pad = " ".repeat(indent);
  return `? ${writeString(key, childIndent(indent, false))}\n${pad}:${writeNode(value, indent, "same line")}`;
}

type Placement = "own line" | "same line" | "list item";

/** Includes the space or line feed between the indicator (`:` or `-`) and the value. */
function writeNode(value: unknown, indent: number, placement: Placement): string {
  const inner = childIndent(indent, placement === "list item");
  let lines: readonly string[];
  if (Array.isArray(value)) {
    if (value.length === 0) return " []";
    lines = value.map((item) => `-${writeNode(item, inner, "list item")}`);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    if (entries.length === 0) return " {}";
    lines = entries
      .sort(([a], [b]) => byGoKeyOrder(a, b))
      .map(([key, field]) => writeEntry(key, field, inner));
  } else return ` ${writeScalar(value, inner)}`;

  const pad = " ".repeat(inner);
  const start = placement === "own line" ? `\n${pad}` : " ".repeat(inner - indent - 1);
  return start + lines.join(`\n${pad}`);
}

/**
 * Renders a map as Go's yaml.v3 does by default: sorted keys, indentation 4, lists indented below their key,
 * unfolded lines, quotes around strings that YAML 1.1 would read as another type. Only for output that must equal
 * that of a Go program byte for byte; otherwise use `writeManifest`.
 */
export function writeGoYaml(object: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(object).filter(([, field]) => field !== undefined);
  if (entries.length === 0) return "{}\n";
  const lines = entries
    .sort(([a], [b]) => byGoKeyOrder(a, b))
    .map(([key, field]) => writeEntry(key, field, 0));
  return `${lines.join("\n")}\n`;
}
