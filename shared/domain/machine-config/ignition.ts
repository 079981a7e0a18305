import { type OperatorForm, ownForm } from "../releases/operator-forms.ts";
import type { NodeFile } from "./node-file.ts";

const dataUrlPrefix = "data:text/plain;charset=utf-8;base64,";

type IgnitionFile = Readonly<{
  overwrite: boolean;
  path: string;
  contents: Readonly<{ compression: string; source: string }>;
  mode: number;
}>;

/** The fields of an Ignition configuration that hubrelay writes, with keys in the order of MCO's JSON. */
export type Ignition = Readonly<{
  ignition: Readonly<{ version: string }>;
  storage?: Readonly<{ files: readonly IgnitionFile[] }>;
}>;

function renderFile({ path, mode, contents }: NodeFile): IgnitionFile {
  const source = dataUrlPrefix + Buffer.from(contents).toString("base64");
  return { overwrite: true, path, contents: { compression: "", source }, mode };
}

/** Returns the Ignition configuration that writes these files; without files it has no `storage`. */
export function renderIgnition(
  files: readonly NodeFile[],
  version: OperatorForm["ignition"] = ownForm.ignition,
): Ignition {
  return {
    ignition: { version },
    ...(files.length > 0 ? { storage: { files: files.map(renderFile) } } : {}),
  };
}

/** Decodes a `data:` URL, base64 or percent-encoded; returns undefined for any other text. */
export function tryDecodeDataUrl(url: string): string | undefined {
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma === -1) return undefined;
  const data = url.slice(comma + 1);
  if (url.slice(0, comma).endsWith(";base64")) return Buffer.from(data, "base64").toString();
  try {
    return decodeURIComponent(data);
    // Stryker disable next-line BlockStatement: without a statement the function returns undefined too
  } catch {
    // A stray % is not a percent-encoding, so this is not a valid data URL.
    return undefined;
  }
}
