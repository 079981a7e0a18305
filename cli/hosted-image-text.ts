import { styleText } from "node:util";
import type { HostedImageExplanation } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import type { ImageCandidate } from "#shared/domain/hosted-clusters/overrides/image-candidate.ts";
import { type Cell, table } from "./table.ts";

type Original = HostedImageExplanation | Readonly<{ problem: string }>;

function whereText({ source, mirror }: ImageCandidate): string {
  if (mirror === null) return "the image itself";
  return `mirror ${mirror} of ${source}`;
}

const takenOf = ({ candidates }: HostedImageExplanation) => candidates.find(({ taken }) => taken);

/** What HyperShift would do where that is something else. */
function differenceText(explanation: HostedImageExplanation, original: Original): string {
  if ("problem" in original) return `HyperShift cannot look for it: ${original.problem}\n`;
  const taken = takenOf(explanation);
  const its = takenOf(original);
  const usable = original.candidates.filter(({ reference, mirror }) => reference !== null && mirror !== null);
  const sources = new Set(usable.map(({ source }) => source));
  if (sources.size > 1)
    return `HyperShift begins with a random one of the sources ${[...sources].join(", ")}.\n`;
  if (its?.reference === taken?.reference) return "";
  const why = its?.mirror === null ? "its rules give no other reference" : `by its source ${its?.source}`;
  return `HyperShift would take ${its?.reference}: ${why}.\n`;
}

/** Where an image is looked for, for a person. */
export function hostedImageText(
  explanation: HostedImageExplanation,
  original: Original | undefined,
  stream: NodeJS.WriteStream,
): string {
  const paint = (colour: Parameters<typeof styleText>[0]) => (text: string) =>
    styleText(colour, text, { stream });
  const { image, candidates, componentImage } = explanation;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference, reason } = candidate;
    return [
      "",
      { text: taken ? "taken" : "not taken", paint: paint(taken ? "green" : "yellow") },
      reference ?? "-",
      [whereText(candidate), ...(reason === null ? [] : [reason])].join("; "),
    ];
  });
  const component = componentImage === image ? "" : `As a component of a release it is ${componentImage}.\n`;
  const difference = original ? differenceText(explanation, original) : "";
  return `${paint("bold")(image)}\n${table(rows)}${component}${difference}`;
}
