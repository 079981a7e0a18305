import { someOf } from "#shared/domain/json/values.ts";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import type {
  FileOrigin,
  ImageExplanation,
  NameExplanation,
} from "#shared/domain/mirrors/explain/explain-image.ts";
import { candidateText, policyText, shortNameText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import type { PullVerdict } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

function originText({ file, machineConfig }: FileOrigin): string {
  if (machineConfig !== null) return ` of ${file}, which MachineConfig ${machineConfig} writes`;
  return file === nodePaths.registriesConf ? "" : ` of ${file}`;
}

function nameText({ image, entry, entryOrigin, candidates, policy }: NameExplanation): SafeText {
  let position = 0;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference } = candidate;
    const verdict = taken ? `${++position}. tried` : "skipped";
    return ["", painted(taken ? "green" : "yellow", verdict), reference, candidateText(candidate)];
  });
  const chosen = entry
    ? `entry ${scopeOf(entry)}${entryOrigin ? originText(entryOrigin) : ""}`
    : "no entry of registries.conf matches";
  return safe`${painted("bold", image)}\n  ${chosen}\n${table(rows)}  policy: ${policyText(policy)}\n`;
}

/** What `hubrelay explain` prints: also the verdict, whose files these are, of which pool, and which pools differ. */
type ExplainedImage = ImageExplanation &
  Readonly<{ verdict: PullVerdict; renderedBy: string; pool?: string; otherPools?: readonly string[] }>;

/** Renders the verdict, how a node pulls an image, and whose files that follows from. */
export function imageText({
  verdict,
  resolvedBy,
  names,
  renderedBy,
  otherPools = [],
}: ExplainedImage): SafeText {
  const introduction = resolvedBy === "search" ? safe`${shortNameText}\n\n` : "";
  const files = renderedBy === "node" ? "those of the node" : `as ${renderedBy} writes them`;
  const others =
    otherPools.length > 0
      ? safe`  other pools differ: ${someOf(otherPools)} (explain them with --pool)\n`
      : "";
  const summary = painted(verdict.pullable ? "green" : "red", verdict.text);
  return safe`${summary}\n\n${introduction}${joined(names.map(nameText), safe`\n`)}  files: ${files}\n${others}`;
}
