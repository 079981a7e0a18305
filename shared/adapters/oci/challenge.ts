/** What a registry asks for when it lets nobody in: its scheme in lower case, and the scheme's parameters. */
export type Challenge = Readonly<{ scheme: string; parameters: Readonly<Record<string, string>> }>;

const longestHeader = 8192;
/** One parameter after the scheme, quoted or not (RFC 9110, 11.6.1). */
const parameter =
  /([A-Za-z][\w-]{0,63})[ \t]{0,8}=[ \t]{0,8}(?:"((?:[^"\\]|\\.){0,4096})"|([^\s,"]{1,4096}))/g;

/** Reads a WWW-Authenticate header, the first challenge of a kind that registries use; undefined when it has none. */
export function parseChallenge(header: string): Challenge | undefined {
  const text = header.slice(0, longestHeader);
  const [, scheme, rest = ""] = /(?:^|,)[ \t]*(bearer|basic)(?:[ \t]+([^\r\n]*))?$/i.exec(text) ?? [];
  if (!scheme) return undefined;
  const parameters = [...rest.matchAll(parameter)].map(
    ([, name = "", quoted, plain = ""]) =>
      [name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain] as const,
  );
  return { scheme: scheme.toLowerCase(), parameters: Object.fromEntries(parameters) };
}
