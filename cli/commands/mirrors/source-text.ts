import type { MirrorExplanation, SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import { originText, precedenceText, pullsText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";

function listText(label: string, items: readonly string[]): SafeText {
  return safe`${items.map((item, index) => safe`     ${(index === 0 ? label : "").padEnd(13)}${item}\n`)}`;
}

function mirrorText(mirror: MirrorExplanation, index: number): SafeText {
  const { location, listedBy, after, despite, place, insecureBy, inherited } = mirror;
  const from = inherited ? [`${inherited.location}, a mirror of ${inherited.scope}`] : [];
  return safe`${[
    safe`  ${index + 1}. ${painted("bold", location)} for ${pullsText[mirror.pulls]}\n`,
    listText("inherited", from),
    listText("listed by", listedBy.map(originText)),
    listText("after", after.map(precedenceText)),
    listText("not after", despite.map(precedenceText)),
    listText("place", [place.text]),
    listText("no TLS by", insecureBy.map(originText)),
  ]}`;
}

function sourceText(source: SourceExplanation): SafeText {
  const { scope, mirrors, blockedBy, insecureBy, inheritsFrom } = source;
  const inherits =
    inheritsFrom === null ? safe`` : safe`  has no mirrors of its own and uses those of ${inheritsFrom}\n`;
  const last =
    blockedBy.length > 0 ? safe`  then nothing: the source is blocked\n` : safe`  then the source itself\n`;
  return safe`${[
    safe`${painted("bold", scope)}\n`,
    inherits,
    ...mirrors.map((mirror, index) => mirrorText(mirror, index)),
    last,
    listText("blocked by", blockedBy.map(originText)),
    listText("no TLS by", insecureBy.map(originText)),
  ]}`;
}

/** Renders why the entries of registries.conf are as they are. */
export function sourcesText(sources: readonly SourceExplanation[]): SafeText {
  if (sources.length === 0) return safe`registries.conf has no entries.\n`;
  return joined(sources.map(sourceText), safe`\n`);
}
