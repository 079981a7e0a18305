import { readHostedClusters } from "#shared/domain/hosted-clusters/given-clusters.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import {
  explainHostedImage,
  type HostedImageExplanation,
  type ImageCandidate,
} from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { printIssues } from "../../io/issue-text.ts";
import { painted, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { type Cell, table } from "../../io/table.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { explainOnNodes } from "./explain-on-nodes.ts";
import { type CheckOptions, whyUnavailable, withRegistry } from "./hosted-check.ts";
import { chosenClusters, readHostedInput } from "./hosted-input.ts";

export type ExplainHostedOptions = Readonly<{
  output: "table" | StructuredFormat;
  nodePool?: string;
  releaseVersion?: string;
}> &
  CheckOptions;

async function explainChecked(
  why: ((reference: string) => Promise<string | undefined>) | undefined,
  explain: (unavailable: ReadonlyMap<string, string>) => ReturnType<typeof explainHostedImage>,
): Promise<HostedImageExplanation> {
  const unavailable = new Map<string, string>();
  for (;;) {
    const explanation = explain(unavailable);
    if ("problem" in explanation) throw new UsageError(explanation.problem);
    const reference = explanation.candidates.find(({ taken }) => taken)?.reference;
    const problem = why && reference ? await why(reference) : undefined;
    if (problem === undefined || !reference) return explanation;
    unavailable.set(reference, problem);
  }
}

/** Runs `hubrelay hosted explain`: prints the locations from which an image may be pulled. Returns the exit code. */
export async function explainHosted(
  image: string,
  name: string | undefined,
  options: ExplainHostedOptions,
): Promise<number> {
  const { filename, output } = options;
  const { objects, issues, place } = await readHostedInput(filename);
  const clusters = chosenClusters(readHostedClusters(objects), name, ({ cluster }) => cluster);
  if (clusters.length > 1)
    throw new UsageError(
      `the result depends on the release of a HostedCluster. Add the name of one: ${someOf(clusters.map(({ cluster }) => `${cluster.namespace}/${cluster.name}`))}.`,
    );
  const [chosen] = clusters;
  if (options.nodePool !== undefined) {
    if (!chosen) throw new UsageError("--node-pool needs a HostedCluster.");
    const { explanation, issues: found } = explainOnNodes(image, chosen.cluster, options.nodePool, objects);
    const isPulled = explanation.candidates.some(({ taken }) => taken);
    const exitCode = printIssues(place([...issues, ...found]));
    print(rendered(explanation, output, hostedImageText));
    return isPulled ? exitCode : exitCodes.issues;
  }
  const { releaseImage, controlPlaneReleaseImage } = chosen?.cluster ?? {};
  const isRelease = [releaseImage, controlPlaneReleaseImage].includes(image);
  // Without a release, the rules of HyperShift's main branch apply.
  const release = parseRelease(options.releaseVersion ?? chosen?.cluster.controlPlaneVersion);
  const explanation = await withRegistry(options, objects, async (checked) => {
    const access = (await checked?.accessOf(chosen?.cluster)) ?? {};
    const why = checked && ((reference: string) => whyUnavailable(checked.registry, reference, access));
    return explainChecked(why, (unavailable) =>
      explainHostedImage(image, objects, { release, isRelease, unavailable }),
    );
  });
  const mirrors = objects.filter(({ kind }) => kind !== "HostedCluster");
  const found = reportHostedClusters(mirrors).issues;
  const exitCode = printIssues(place([...issues, ...found]));
  print(rendered(explanation, output, hostedImageText));
  return exitCode;
}

function whereText({ source, mirror }: ImageCandidate): string {
  if (mirror === null) return "the image itself";
  return source === null ? "mirror" : `mirror ${mirror} of ${source}`;
}

function hostedImageText(explanation: HostedImageExplanation): SafeText {
  const { image, candidates, operatorReference } = explanation;
  const rows = candidates.map((candidate): readonly Cell[] => {
    const { taken, reference, reason } = candidate;
    return [
      "",
      taken ? painted("green", "taken") : painted("yellow", "not taken"),
      reference ?? "-",
      [whereText(candidate), ...(reason === null ? [] : [reason])].join("; "),
    ];
  });
  const operator =
    operatorReference === undefined
      ? ""
      : safe`HyperShift's operator has newer rules and would use ${operatorReference ?? "no image"}.\n`;
  return safe`${painted("bold", image)}\n${table(rows)}${operator}`;
}
