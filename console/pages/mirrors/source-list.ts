import { explanation, type Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { MirrorExplanation, Origin } from "#shared/domain/mirrors/explain/explain-source.ts";
import { pullsText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import type { MirrorsView } from "../../model/mirrors/mirrors-view.ts";
import type { NodeSource } from "../../model/mirrors/node-configuration.ts";
import { address } from "../../model/snapshot.ts";
import { drawnPath, type Step } from "../common.ts";
import { type Html, html } from "../html.ts";

type Query = MirrorsView["query"];

const maxSources = 50;

function mirrorStep(mirror: MirrorExplanation, index: number, query: Query): Step {
  const { location, pulls, listedBy, inherited, insecureBy } = mirror;
  const details = [
    ...(inherited ? [html`from ${inherited.location}, a mirror of ${inherited.scope}`] : []),
    ...(listedBy.length > 0 ? [originLinks(listedBy, query)] : []),
    ...(insecureBy.length > 0 ? [html`no TLS by ${originLinks(insecureBy, query)}`] : []),
  ];
  return {
    colour: "hr-pulling",
    mark: String(index + 1),
    content: html`<code>${location}</code> <span class="hr-quiet">${pullsText[pulls]}${details.map((one) => html` · ${one}`)}</span>`,
  };
}

function lastStep({ scope, blockedBy, insecureBy }: NodeSource, query: Query): Step {
  if (blockedBy.length > 0)
    return {
      colour: "hr-failed",
      mark: "✕",
      isSkipped: true,
      content: html`then nothing: blocked by ${originLinks(blockedBy, query)}`,
    };
  const open = insecureBy.length > 0 && html`; no TLS by ${originLinks(insecureBy, query)}`;
  return {
    colour: "hr-waiting",
    mark: "●",
    content: html`then the source itself<span class="hr-quiet">${scope === "" ? "" : open}</span>`,
  };
}

function sourceItem(source: NodeSource, query: Query): Html {
  const { scope, mirrors, inheritsFrom, replacedBy } = source;
  const inherits =
    inheritsFrom !== null && html`<p class="hr-quiet">Uses the mirrors of ${inheritsFrom}.</p>`;
  const unused =
    replacedBy &&
    html`<p class="hr-late">⚠ Not used: MachineConfig ${replacedBy.machineConfig} writes ${replacedBy.path}, which nodes use instead.</p>`;
  const steps = [...mirrors.map((one, index) => mirrorStep(one, index, query)), lastStep(source, query)];
  return html`<li class="hr-source"><h3><code>${scope}</code></h3>${unused}${inherits}${drawnPath(`Mirrors of ${scope}`, steps)}</li>`;
}

/** Renders the sources with their mirrors. The mirrors are in the order in which nodes try them. */
export function sourceList({ sources, totalSources, query }: MirrorsView): Html {
  if (totalSources === 0)
    return html`<p>No rule of the hub gives a source a mirror. Here are the sources of images with their mirrors, in the order in which nodes try them.</p>`;
  const shown = sources.slice(0, maxSources);
  const count = `${sources.length} of ${totalSources} sources${query.source && ` with ${query.source}`}`;
  const more =
    sources.length > shown.length &&
    html`<p>${sources.length - shown.length} more: search for a part of their names.</p>`;
  return html`<p class="hr-quiet">${count}</p><ul class="hr-sources">${shown.map((one) => sourceItem(one, query))}</ul>${more}`;
}

const maxObjects = 3;

function originLink({ path, ...object }: Origin & Readonly<{ namespace?: string }>, query: Query): Html {
  const name = displayName(object);
  if (path === "") return html`${name}`;
  const to = address("/mirrors", { ...query, source: name });
  return html`<a href="${to}" data-swap title="${path}">${name}</a>`;
}

/** Renders links from objects to the sources that they define. */
export function originLinks(origins: readonly Origin[], query: Query, before = ""): Html {
  const objects = [...new Map(origins.map((one) => [`${one.kind}/${one.name}`, one])).values()];
  const shown = objects
    .slice(0, maxObjects)
    .map((one, index) => html`${index > 0 && ", "}${originLink(one, query)}`);
  const more = objects.length > maxObjects && ` and ${objects.length - maxObjects} more`;
  return html`<span class="hr-from">${before}${shown}${more}</span>`;
}

/** Renders an issue. */
export function issueItem({ severity, code, path, object, ...issue }: Issue, query: Query): Html {
  const [colour, mark] = severity === "error" ? ["hr-failed", "✕"] : ["hr-warning", "⚠"];
  return html`<li><strong class="hr-state ${colour}">${mark} ${code}</strong> ${originLink({ ...object, path }, query)} <code>${path}</code><br>${explanation(issue)}</li>`;
}
