const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u000b": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Quotes text the way machine-config-operator's messages do (Go's `%q`), so that they can be searched for. */
export function goQuote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    const code = character.charCodeAt(0);
    return shortEscapes[character] ?? `\\x${code.toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}
