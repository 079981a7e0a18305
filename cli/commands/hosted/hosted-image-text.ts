import type {
  HostedImageExplanation,
  ImageCandidate,
} from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

function whereText({ source, mirror }: ImageCandidate): string {
  if (mirror === null) return "the image itself";
  return `mirror ${mirror} of ${source}`;
}

/** Renders the candidates of an image as a table. */
export function hostedImageText(explanation: HostedImageExplanation): SafeText {
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
  const operator =
    operatorReference === undefined
      ? ""
      : safe`HyperShift's operator has newer rules and would use ${operatorReference ?? "no image"}.\n`;
  return safe`${painted("bold", image)}\n${table(rows)}${component}${operator}`;
}
