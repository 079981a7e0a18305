import type { ImageExplanation, NameExplanation } from "#shared/domain/mirrors/explain/explain-image.ts";
import { candidateText, policyText, shortNameText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registry-entry.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

function nameText({ image, entry, candidates, policy }: NameExplanation): SafeText {
  let position = 0;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference } = candidate;
    const verdict = taken ? `${++position}. tried` : "skipped";
    return ["", painted(taken ? "green" : "yellow", verdict), reference, candidateText(candidate)];
  });
  const chosen = entry ? `entry ${scopeOf(entry)}` : "no entry of registries.conf matches";
  return safe`${painted("bold", image)}\n  ${chosen}\n${table(rows)}  policy: ${policyText(policy)}\n`;
}

/** Renders how a node pulls an image, and whose files that follows from. */
export function imageText({ resolvedBy, names }: ImageExplanation, renderedBy: string): SafeText {
  const introduction = resolvedBy === "search" ? safe`${shortNameText}\n\n` : "";
  return safe`${introduction}${joined(names.map(nameText), safe`\n`)}  files: as ${renderedBy} writes them\n`;
}
