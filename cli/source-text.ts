import { styleText } from "node:util";
import type { Origin, Precedence } from "#shared/domain/mirrors/explain-order.ts";
import type { MirrorExplanation, SourceExplanation } from "#shared/domain/mirrors/explain-source.ts";

const pulls = { digest: "pulls by digest", tag: "pulls by tag", both: "all pulls" } as const;

function originText({ kind, name, path }: Origin): string {
  return `${kind}/${name}${path === "" ? "" : ` ${path}`}`;
}

function precedenceText({ mirror, because }: Precedence): string {
  return `${mirror}, by ${because.map(originText).join(" and ")}`;
}

/** A labelled list, one item a line; nothing when it is empty. */
function listText(label: string, items: readonly string[]): string {
  return items.map((item, index) => `     ${(index === 0 ? label : "").padEnd(13)}${item}\n`).join("");
}

function mirrorText(mirror: MirrorExplanation, index: number, stream: NodeJS.WriteStream): string {
  const { location, listedBy, after, despite, place, insecureBy, inherited } = mirror;
  const from = inherited ? [`${inherited.location}, a mirror of ${inherited.scope}`] : [];
  return [
    `  ${index + 1}. ${styleText("bold", location, { stream })} for ${pulls[mirror.pulls]}\n`,
    listText("inherited", from),
    listText("listed by", listedBy.map(originText)),
    listText("after", after.map(precedenceText)),
    listText("not after", despite.map(precedenceText)),
    listText("place", [place.text]),
    listText("no TLS by", insecureBy.map(originText)),
  ].join("");
}

function sourceText(source: SourceExplanation, stream: NodeJS.WriteStream): string {
  const { scope, mirrors, blockedBy, insecureBy, inheritsFrom } = source;
  const inherits =
    inheritsFrom === null ? "" : `  has no mirrors of its own and takes those of ${inheritsFrom}\n`;
  const last =
    blockedBy.length > 0 ? "  then nothing: the source is blocked\n" : "  then the source itself\n";
  return [
    `${styleText("bold", scope, { stream })}\n`,
    inherits,
    ...mirrors.map((mirror, index) => mirrorText(mirror, index, stream)),
    last,
    listText("blocked by", blockedBy.map(originText)),
    listText("no TLS by", insecureBy.map(originText)),
  ].join("");
}

/** Why the entries of registries.conf are as they are, for a person. */
export function sourcesText(sources: readonly SourceExplanation[], stream: NodeJS.WriteStream): string {
  if (sources.length === 0) return "registries.conf has no entries.\n";
  return sources.map((source) => sourceText(source, stream)).join("\n");
}
