import type { ImageCandidate } from "#shared/domain/hosted-clusters/overrides/candidates.ts";
import type { HostedImageExplanation } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

type Original = HostedImageExplanation | Readonly<{ problem: string }>;

function whereText({ source, mirror }: ImageCandidate): string {
  if (mirror === null) return "the image itself";
  return `mirror ${mirror} of ${source}`;
}

const takenOf = ({ candidates }: HostedImageExplanation) => candidates.find(({ taken }) => taken);

function differenceText(explanation: HostedImageExplanation, original: Original): SafeText {
  if ("problem" in original) return safe`HyperShift cannot look it up: ${original.problem}\n`;
  const taken = takenOf(explanation);
  const its = takenOf(original);
  const usable = original.candidates.filter(({ reference, mirror }) => reference !== null && mirror !== null);
  const sources = new Set(usable.map(({ source }) => source));
  if (sources.size > 1)
    return safe`HyperShift starts with a random one of the sources ${[...sources].join(", ")}.\n`;
  if (its?.reference === taken?.reference) return safe``;
  const why = its?.mirror === null ? "its rules give no other reference" : `by its source ${its?.source}`;
  return safe`HyperShift would use ${its?.reference ?? "no image"}: ${why}.\n`;
}

/** Renders the candidates of an image as a table. */
export function hostedImageText(
  explanation: HostedImageExplanation,
  original: Original | undefined,
): SafeText {
  const { image, candidates, componentImage, otherComponentImages = [], operatorReference } = explanation;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference, reason } = candidate;
    return [
      "",
      taken ? painted("green", "taken") : painted("yellow", "not taken"),
      reference ?? "-",
      [whereText(candidate), ...(reason === null ? [] : [reason])].join("; "),
    ];
  });
  const names = [componentImage, ...otherComponentImages];
  const component =
    names.join() === image ? "" : safe`As a component of a release it is ${names.join(" or ")}.\n`;
  const difference = original ? differenceText(explanation, original) : "";
  const operator =
    operatorReference === undefined
      ? ""
      : safe`HyperShift's operator has newer rules and would use ${operatorReference ?? "no image"}.\n`;
  return safe`${painted("bold", image)}\n${table(rows)}${component}${difference}${operator}`;
}
