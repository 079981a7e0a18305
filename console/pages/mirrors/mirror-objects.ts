import { explanation, type Issue } from "#shared/domain/issues/issue.ts";
import { displayName, namespacedName } from "#shared/domain/kubernetes/object.ts";
import type { Origin } from "#shared/domain/mirrors/explain/explain-source.ts";
import { shellWord } from "#shared/domain/text/human-readable.ts";
import type { MirrorObject } from "../../model/mirrors/mirror-object.ts";
import type { MirrorsView } from "../../model/mirrors/mirrors-view.ts";
import { address } from "../../model/snapshot.ts";
import { command, fileBlock, plainLine, sidePanel, swapLink } from "../common.ts";
import { type Html, html } from "../html.ts";

type Query = MirrorsView["query"];

/** Objects that are named in a line. */
const maxObjects = 3;

function originLink({ path, ...object }: Origin & Readonly<{ namespace?: string }>, query: Query): Html {
  const name = displayName(object);
  if (path === "") return html`${name}`;
  const to = address("/mirrors", { ...query, object: name });
  return html`<a href="${to}" data-swap title="${path}">${name}</a>`;
}

/** Renders the objects that something is from, as links to their rules. */
export function originLinks(origins: readonly Origin[], query: Query, before = ""): Html {
  const objects = [...new Map(origins.map((one) => [`${one.kind}/${one.name}`, one])).values()];
  const shown = objects
    .slice(0, maxObjects)
    .map((one, index) => html`${index > 0 && ", "}${originLink(one, query)}`);
  const more = objects.length > maxObjects && ` and ${objects.length - maxObjects} more`;
  return html`<span class="hr-from">${before}${shown}${more}</span>`;
}

/** Renders an issue with its object and its fix. */
export function issueItem({ severity, code, path, object, ...issue }: Issue, query: Query): Html {
  const [colour, mark] = severity === "error" ? ["hr-failed", "✕"] : ["hr-warning", "⚠"];
  return html`<li><strong class="hr-state ${colour}">${mark} ${code}</strong> ${originLink({ ...object, path }, query)} <code>${path}</code><br>${explanation(issue)}</li>`;
}

/** Renders an object with its rules, and the sources to which they lead. */
export function objectPanel(object: MirrorObject, query: Query): Html {
  const { kind, namespace, name, lines, issues, scopes } = object;
  const found =
    issues.length > 0 &&
    html`<h3>Issues</h3><ul class="hr-list">${issues.map((one) => issueItem(one, query))}</ul>`;
  const links = scopes.map(
    (scope) => html`<li>${swapLink(address("/mirrors", { ...query, source: scope }), false, scope)}</li>`,
  );
  const of = namespace === undefined ? "" : ` -n ${shellWord(namespace)}`;
  const body = html`${found}<h3>Leads to</h3>${
    scopes.length > 0
      ? html`<ul class="hr-items">${links}</ul>`
      : html`<p>No entry of registries.conf is from it.</p>`
  }<h3>Its rules</h3>${fileBlock(`Rules of ${name}`, lines.map(plainLine))}<p><a href="${address("/activity", { kind, object: namespacedName(object) })}">Activity about it</a></p>${command(`kubectl get ${kind.toLowerCase()} ${shellWord(name)}${of} -o yaml`)}`;
  return sidePanel(displayName(object), body, address("/mirrors", query));
}
