import { raw, html as template } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { visibleLine } from "#shared/domain/text/redact.ts";

/** HTML that is safe to send. Only the functions of this file create it. */
export type Html = HtmlEscapedString;

type Value = string | number | false | undefined | Html | readonly Value[];

const isHtml = (value: object): value is Html => "isEscaped" in value;

function shown(value: Value): unknown {
  if (typeof value === "string") return visibleLine(value);
  if (typeof value === "object" && !isHtml(value)) return value.map(shown);
  return value;
}

/**
 * Renders a template. In values, markup and control characters are escaped, credentials are removed, and undefined and
 * false are left out.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  // `template` returns a promise only if one of the values is a promise.
  return template(literals, ...values.map(shown)) as Html;
}

/** Returns a text as HTML, faster than `html`. All values in the text must be escaped with `escapedText`. */
export function assembled(text: string): Html {
  return raw(text) as Html;
}

const plain = /^[\w .:/-]*$/;

/** Returns a text that is escaped for the content and attributes of elements. */
export function escapedText(value: string): string {
  // A page has thousands of names that need no escapes. For these, the template would be too slow.
  const text = visibleLine(value);
  return plain.test(text) ? text : String(html`${text}`);
}

/**
 * A page. Its `parts`, by element id, are sent separately when they change, and are not nested. `frame` has a
 * placeholder for each part.
 */
export type LivePage = Readonly<{ frame: string; parts: ReadonlyMap<string, string> }>;

// Text never contains these characters: `visibleLine` escapes them.
const [start, end] = ["\u0001", "\u0002"];
const marks = new RegExp(`${start}([^${end}]*)${end}`, "g");

/** Adds a part and returns its placeholder. The element in `content` must have this id. */
export type Part = (id: string, content: Html) => Html;

/** Renders a page whose parts are sent separately when they change. */
export function livePage(render: (part: Part) => Html): LivePage {
  const parts = new Map<string, string>();
  const frame = render((id, content) => {
    parts.set(id, String(content));
    return raw(`${start}${id}${end}`);
  });
  return { frame: String(frame), parts };
}

/** Returns the whole text of a page. */
export function pageText({ frame, parts }: LivePage): string {
  return frame.replace(marks, (_, id: string) => parts.get(id) ?? "");
}

/** What has changed between two states of a page: some parts, by id, or the whole page. */
export type PageChange = Readonly<{ parts: Readonly<Record<string, string>> } | { page: string }>;

/** Returns what has changed between two states of a page; undefined if nothing has. */
export function pageChange(before: LivePage, after: LivePage): PageChange | undefined {
  if (before.frame !== after.frame) return { page: pageText(after) };
  const changed = [...after.parts].filter(([id, text]) => before.parts.get(id) !== text);
  return changed.length > 0 ? { parts: Object.fromEntries(changed) } : undefined;
}
