import { ownValue } from "../../kubernetes/json/values.ts";
import { type OperatorForm, ownForm } from "../../openshift/releases/machine-config-operator.ts";

/** A mirror of a registry: one `[[registry.mirror]]` table of registries.conf. */
export type RegistryMirror = Readonly<{
  location: string;
  /** True if TLS is not required at the mirror. */
  insecure: boolean;
  /** The pulls that use the mirror: `digest-only`, `tag-only`, or empty for both. */
  pullFromMirror: string;
}>;

/** One `[[registry]]` table of registries.conf. CRI-O tries the mirrors in order, and then the location. */
export type RegistryEntry = Readonly<{
  /** The scope of the table. If it is empty, `location` is the scope. */
  prefix: string;
  /** The host and path of the scope's images; empty for a wildcard scope such as `*.example.com`. */
  location: string;
  insecure: boolean;
  blocked: boolean;
  mirrorByDigestOnly: boolean;
  mirrors: readonly RegistryMirror[];
}>;

/** Returns the scope of an entry: its prefix, or its location if the prefix is empty. */
export function scopeOf({ prefix, location }: Pick<RegistryEntry, "prefix" | "location">): string {
  return prefix === "" ? location : prefix;
}

/** The content of a registries.conf of version 2. An undefined list is absent; an empty list is written as `[]`. */
export type RegistriesConf = Readonly<{
  unqualifiedSearchRegistries?: readonly string[];
  credentialHelpers?: readonly string[];
  shortNameMode: string;
  additionalLayerStoreAuthHelper: string;
  entries: readonly RegistryEntry[];
  /** Full image names by their short names. */
  aliases?: Readonly<Record<string, string>>;
}>;

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
const unsafe = /["\\\u0000-\u001f\u007f]/;
const everyUnsafe = new RegExp(unsafe, "g");

function escapeCharacter(character: string): string {
  return ownValue(escapes, character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function escaped(text: string): string {
  return unsafe.test(text) ? text.replace(everyUnsafe, escapeCharacter) : text;
}

function quote(text: string): string {
  return `"${escaped(text)}"`;
}

function quoteAll(texts: readonly string[]): string {
  return `[${texts.map(quote).join(", ")}]`;
}

function encodeFlags(insecure: boolean, pullFromMirror: string): string {
  const flag = insecure ? "    insecure = true\n" : "";
  return pullFromMirror === "" ? flag : `${flag}    pull-from-mirror = ${quote(pullFromMirror)}\n`;
}

function usualEnds(insecure: boolean): ReadonlyMap<string, string> {
  return new Map(
    ["", "digest-only", "tag-only"].map((pulls) => [pulls, `"\n${encodeFlags(insecure, pulls)}`]),
  );
}

const secureEnds = usualEnds(false);
const insecureEnds = usualEnds(true);

function encodeEntry(entry: RegistryEntry): string {
  // Few strings are joined, because each string stays in memory until the file is complete.
  let text = `\n[[registry]]\n  prefix = "${escaped(entry.prefix)}"\n`;
  if (entry.location !== "") text += `  location = "${escaped(entry.location)}"\n`;
  if (entry.insecure) text += "  insecure = true\n";
  if (entry.blocked) text += "  blocked = true\n";
  if (entry.mirrorByDigestOnly) text += "  mirror-by-digest-only = true\n";
  for (const { location, insecure, pullFromMirror } of entry.mirrors) {
    const end = (insecure ? insecureEnds : secureEnds).get(pullFromMirror);
    text += '\n  [[registry.mirror]]\n    location = "';
    text += escaped(location);
    text += end ?? `"\n${encodeFlags(insecure, pullFromMirror)}`;
  }
  return text;
}

/** The number of entries whose texts are joined at a time, while the texts are still in the processor's cache. */
const entriesAtOnce = 64;

/**
 * Returns the text of registries.conf, byte for byte as machine-config-operator's TOML library writes it: a node that
 * finds other bytes in this file reloads its container runtime, or is drained.
 */
export function encodeRegistriesConf(
  conf: Omit<RegistriesConf, "aliases" | "credentialHelpers">,
  { hasAuthHelper }: Pick<OperatorForm, "hasAuthHelper"> = ownForm,
): string {
  let text = "";
  if (conf.unqualifiedSearchRegistries) {
    text += `unqualified-search-registries = ${quoteAll(conf.unqualifiedSearchRegistries)}\n`;
  }
  text += `short-name-mode = ${quote(conf.shortNameMode)}\n`;
  if (hasAuthHelper)
    text += `additional-layer-store-auth-helper = ${quote(conf.additionalLayerStoreAuthHelper)}\n`;
  for (let start = 0; start < conf.entries.length; start += entriesAtOnce) {
    text += conf.entries
      .slice(start, start + entriesAtOnce)
      .map(encodeEntry)
      .join("");
  }
  return text;
}

/** Returns the text of the drop-in that replaces the search registries in registries.conf. */
export function encodeSearchRegistries(
  registries: readonly string[],
  form: Pick<OperatorForm, "hasAuthHelper"> = ownForm,
): string {
  return encodeRegistriesConf(
    {
      unqualifiedSearchRegistries: registries,
      shortNameMode: "",
      additionalLayerStoreAuthHelper: "",
      entries: [],
    },
    form,
  );
}
