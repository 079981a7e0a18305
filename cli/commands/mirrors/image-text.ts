import type {
  AppliedPolicy,
  ImageExplanation,
  NameExplanation,
} from "#shared/domain/mirrors/explain/explain-image.ts";
import type { Candidate } from "#shared/domain/mirrors/pull/resolve.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registry-entry.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

function reasonText({ reason, blockedBy, isSource, insecure }: Candidate): string {
  switch (reason) {
    case "digest-only":
      return "this mirror serves pulls by digest only";
    case "tag-only":
      return "this mirror serves pulls by tag only";
    case "blocked":
      return `it is in ${blockedBy}, which is blocked`;
    case "not-a-reference":
      return "not an image reference, so the runtime gives up before it tries any location";
    case "pull-fails":
      return "the runtime gives up before it tries any location";
    case null:
      return [isSource ? "the source itself" : "mirror", ...(insecure ? ["TLS is not required"] : [])].join(
        ", ",
      );
  }
}

function policyText({ file, section, scope, requirements, verdict }: AppliedPolicy): string {
  const where = section === "default" ? "its default" : `its scope ${JSON.stringify(scope)}`;
  const what = {
    accept: "accepted without a signature",
    // The policy is evaluated after the image was found.
    reject: "rejected once it is found",
    signature: `accepted with a signature that meets ${JSON.stringify(requirements)}`,
  };
  return `${what[verdict]}, by ${where} in ${file}`;
}

function nameText({ image, entry, candidates, policy }: NameExplanation): SafeText {
  let position = 0;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference } = candidate;
    const verdict = taken ? `${++position}. tried` : "skipped";
    return ["", painted(taken ? "green" : "yellow", verdict), reference, reasonText(candidate)];
  });
  const chosen = entry ? `entry ${scopeOf(entry)}` : "no entry of registries.conf matches";
  return safe`${painted("bold", image)}\n  ${chosen}\n${table(rows)}  policy: ${policyText(policy)}\n`;
}

const shortName = safe`A short name: these are tried in turn until one has the image. Aliases of a node's operating system are not known here, and would come first.\n\n`;

/** Renders how a node pulls an image. */
export function imageText({ resolvedBy, names }: ImageExplanation): SafeText {
  const introduction = resolvedBy === "search" ? shortName : "";
  return safe`${introduction}${joined(names.map(nameText), safe`\n`)}`;
}
