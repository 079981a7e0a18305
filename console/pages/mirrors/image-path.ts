import { refusedText } from "#shared/domain/mirrors/configuration.ts";
import { candidateText, policyText, shortNameText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import type { Candidate } from "#shared/domain/mirrors/pull/pull-sources.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import type { NamePath } from "../../model/mirrors/image-path.ts";
import type { MirrorsView } from "../../model/mirrors/mirrors-view.ts";
import { address } from "../../model/snapshot.ts";
import { drawnPath, marked, type Step, shortDigests, swapLink, verdictLine } from "../common.ts";
import { type Html, html } from "../html.ts";
import { issueItem, originLinks } from "./source-list.ts";

type Query = MirrorsView["query"];

function requested({ image, entry, entryOrigin, source }: NamePath, query: Query): Step {
  const file = entryOrigin?.machineConfig
    ? `${entryOrigin.file} of MachineConfig ${entryOrigin.machineConfig}`
    : "registries.conf";
  const scope = entry && scopeOf(entry);
  const link =
    scope !== null && source
      ? swapLink(address("/mirrors", { ...query, source: scope }), false, scope)
      : html`${scope ?? ""}`;
  const chosen = entry
    ? html`decided by the entry ${link} of ${file}`
    : html`no entry of registries.conf matches`;
  return {
    colour: "hr-waiting",
    mark: "→",
    content: html`<strong>requested</strong> <code>${image}</code><br><span class="hr-quiet">${chosen}</span>`,
  };
}

function tried(candidate: Candidate, position: number, index: number, path: NamePath, query: Query): Step {
  const { taken, reference, location, isSource, blockedBy } = candidate;
  const rule = path.source?.mirrors[index];
  const listed = rule?.location === location ? rule.listedBy : [];
  const blocking = isSource && blockedBy !== null ? (path.source?.blockedBy ?? []) : [];
  const [colour, mark, word] = taken
    ? ["hr-done", String(position), position === 1 ? "tried first" : "tried next"]
    : ["hr-warning", "✕", "skipped"];
  const by = [
    ...(listed.length > 0 ? [html`; listed by ${originLinks(listed, query)}`] : []),
    ...(blocking.length > 0 ? [html`, by ${originLinks(blocking, query)}`] : []),
  ];
  return {
    colour,
    mark,
    isSkipped: !taken,
    content: html`<strong class="hr-state ${colour}">${word}</strong> <code>${shortDigests(reference)}</code><br><span class="hr-quiet">${candidateText(candidate)}${by}</span>`,
  };
}

function policyStep({ policy }: NamePath): Step {
  const looks = {
    accept: ["hr-done", "✓"],
    signature: ["hr-pulling", "✎"],
    reject: ["hr-failed", "✕"],
  } as const;
  const [colour, mark] = looks[policy.verdict];
  return {
    colour,
    mark,
    content: html`<strong class="hr-state ${colour}">signature policy</strong><br><span class="hr-quiet">${policyText(policy)}</span>`,
  };
}

function namePath(path: NamePath, query: Query): Html {
  let position = 0;
  const steps = path.candidates.map((candidate, index) =>
    tried(candidate, candidate.taken ? ++position : 0, index, path, query),
  );
  return drawnPath(`The path of ${path.image}`, [requested(path, query), ...steps, policyStep(path)]);
}

function nodesLine({ nodesOf, poolNames, renderedBy, query, path }: MirrorsView): Html {
  const others = poolNames.filter((name) => name !== nodesOf);
  const links = others.map((name) => {
    const isOther = path?.otherPools.includes(name);
    return html` ${swapLink(address("/mirrors", { ...query, pool: name }), false, name)}${isOther && html` (${marked("hr-warning", "≠", "another path")})`}`;
  });
  const choice = others.length > 0 && html`. Other pools:${links}`;
  return html`<p class="hr-quiet">On nodes of pool ${nodesOf}, whose files ${renderedBy} writes${choice}</p>`;
}

/** Renders whether nodes of a pool can pull the image, and the locations that they try. */
export function imageAnswer(view: MirrorsView): Html {
  const { path, problem, isRefused, query } = view;
  const content = () => {
    if (query.image === "")
      return html`<p class="hr-quiet">Here is the path of an image: the places that a node tries, in their order, with the rules that list them.</p>`;
    if (problem !== undefined) return verdictLine(false, problem);
    if (!path) return html``;
    const { verdict, resolvedBy, names, issues, outage } = path;
    const issueOf = (issue: (typeof issues)[number]) => issueItem(issue, query);
    const shortName = resolvedBy === "search" && verdict.pullable && html`<p>${shortNameText}</p>`;
    const found = issues.length > 0 && html`<ul class="hr-list">${issues.map(issueOf)}</ul>`;
    const effect = outage && html`<p>${outage.text}</p>`;
    return html`${verdictLine(verdict.pullable, verdict.text)}${effect}${nodesLine(view)}${shortName}${names.map((one) => namePath(one, query))}${found}`;
  };
  const refusal = isRefused && html`<p>${marked("hr-warning", "⚠", refusedText)}</p>`;
  return html`<div class="hr-image-path" aria-live="polite">${refusal}${content()}</div>`;
}
