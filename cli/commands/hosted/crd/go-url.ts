/** A URL as Go's net/url parses it, which corrects less and refuses less than browsers do. */
export type GoUrl = Readonly<{
  scheme: string;
  host: string;
  hostname: string;
  port: string;
  path: string;
  query: string;
}>;

const hasControl = (text: string) => [...text].some((one) => one < " " || one === "\u007f");
const hasBadEscape = (text: string) => /%(?![0-9A-Fa-f]{2})/.test(text);

function parseHost(host: string): Pick<GoUrl, "host" | "hostname" | "port"> | undefined {
  const [, name, port = ""] = /^(\[[0-9A-Fa-f:.%]+\]|[^:[\]]*)(?::(\d*))?$/.exec(host) ?? [];
  if (name === undefined || /[ "<>\\^`{|}]/.test(name) || hasBadEscape(name)) return undefined;
  return { host, hostname: name.replace(/^\[|\]$/g, ""), port };
}

/** Parses an absolute URL or path; returns undefined for anything else. Behaviour: Go's url.ParseRequestURI. */
export function parseGoUrl(text: string): GoUrl | undefined {
  if (text === "" || hasControl(text)) return undefined;
  const [, scheme = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
  const rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const question = rest.indexOf("?");
  const [before, query] = question < 0 ? [rest, ""] : [rest.slice(0, question), rest.slice(question + 1)];
  const lower = scheme.toLowerCase();
  const nowhere = { scheme: lower, host: "", hostname: "", port: "", query };
  if (!before.startsWith("/")) return scheme === "" ? undefined : { ...nowhere, path: "" };
  if (scheme === "" || !before.startsWith("//"))
    return hasBadEscape(before) ? undefined : { ...nowhere, path: before };
  const slash = before.indexOf("/", 2);
  const authority = slash < 0 ? before.slice(2) : before.slice(2, slash);
  const path = slash < 0 ? "" : before.slice(slash);
  const host = parseHost(authority.slice(authority.lastIndexOf("@") + 1));
  return host && !hasBadEscape(path) ? { scheme: lower, ...host, path, query } : undefined;
}
