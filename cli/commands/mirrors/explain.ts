import { writerOf } from "#functions/mirror-config/ownership.ts";
import { coverageIssues, inputCoverage } from "#shared/domain/issues/coverage.ts";
import { someOf, withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import {
  configureMirrors,
  mirrorInputOf,
  refusedText,
  shownConfiguration,
} from "#shared/domain/mirrors/configuration.ts";
import {
  configurePools,
  poolsOf,
  refusedFileIssue,
} from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type {
  FileOrigin,
  ImageExplanation,
  NameExplanation,
} from "#shared/domain/mirrors/explain/explain-image.ts";
import { issuesOfNodes } from "#shared/domain/mirrors/explain/explain-image.ts";
import { candidateText, policyText, shortNameText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import { explainOnPools, type PullVerdict } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import type { Outage } from "#shared/domain/mirrors/pull/outage.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import { nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { manifestsOrHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { withCoverage } from "../../io/report/side-lists.ts";
import { joined, painted, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { type Cell, table } from "../../io/table.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import {
  mirrorInputKinds,
  namedRelease,
  nodeConfigKinds,
  type ReleaseOptions,
  requirePool,
} from "./mirror-input.ts";

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

/** `otherPools` are the pools that pull the image in another way than `pool`. */
type ExplainedImage = ImageExplanation &
  Readonly<{
    verdict: PullVerdict;
    renderedBy: string;
    isRefused?: boolean;
    pool?: string;
    otherPools?: readonly string[];
    outage?: Outage;
  }>;

function imageText(explained: ExplainedImage): SafeText {
  const { verdict, resolvedBy, names, renderedBy, isRefused = false, otherPools = [], outage } = explained;
  const refusal = isRefused ? safe`${painted("red", refusedText)}\n\n` : "";
  const introduction = resolvedBy === "search" && verdict.pullable ? safe`${shortNameText}\n\n` : "";
  const others =
    otherPools.length > 0
      ? safe`  other pools differ: ${someOf(otherPools)} (explain them with --pool)\n`
      : "";
  const summary = painted(verdict.pullable ? "green" : "red", verdict.text);
  const effect = outage ? safe`${outage.text}\n` : "";
  return safe`${refusal}${summary}\n${effect}\n${introduction}${joined(names.map(nameText), safe`\n`)}  files: as ${renderedBy} writes them\n${others}`;
}

export type ExplainOptions = ReleaseOptions &
  Readonly<{
    /** Paths of `-f`; absent for the live hub. */
    filename?: readonly string[];
    output: "table" | StructuredFormat;
    namespace?: string;
    pool?: string;
    without?: readonly string[];
    requireCoverage?: true;
  }>;

const explainedKinds = [...mirrorInputKinds, kinds.MachineConfig];
const readKinds = [...explainedKinds, kinds.MachineConfigPool];

/**
 * Runs `hubrelay explain`: prints how a node pulls an image. Returns the exit code: 1 only for an image that no node
 * can pull, for an unread or refused file of the nodes, and for failed conditions of `requireCoverage`.
 */
export async function explain(image: string, options: ExplainOptions): Promise<number> {
  const { filename, output, namespace, pool = "worker", without = [], requireCoverage } = options;
  const given = await manifestsOrHub(filename, mirrorInputKinds, nodeConfigKinds);
  const side = chosenSide(given, explainedKinds);
  requireObjects(
    { ...given, objects: side.objects },
    { paths: filename, command: "explain", kinds: explainedKinds },
  );
  if (options.pool !== undefined) requirePool(side.objects, pool);
  const input = { ...mirrorInputOf(side.objects), ...namedRelease(options) };
  const renderedBy = writerOf(side.objects);
  const { refused: isRefused, ...configuration } = shownConfiguration(
    configureMirrors(input, { writer: renderedBy }),
  );
  const { basis, entries } = configuration;
  const { filesOf, issues, readContent } = configurePools(input, configuration);
  const pools = poolsOf(side.objects).map(({ name }) => name);
  const renderedFrom = basis && { entries, basis };
  const isWhole = filename === undefined;
  const assumed = clusterAssumptions(input, { isWhole, pools: sentence`pool ${pool}` });
  const explained = explainOnPools(
    image,
    { pool, pools, filesOf, renderedFrom },
    { readContent, without, ...(namespace === undefined ? {} : { namespace }) },
  );
  const refused = "problem" in explained ? explained.refused : undefined;
  const all = withoutRepeats([
    ...side.issues,
    ...configuration.issues,
    ...issues,
    ...(refused ? [refusedFileIssue(refused)] : []),
  ]);
  const coverage = inputCoverage({ ...given, ...side, issues: all, assumed }, readKinds);
  const notCovered = requireCoverage ? coverageIssues(coverage) : [];
  printIssues([...side.place(issuesOfNodes(all)), ...notCovered]);
  if (refused) return exitCodes.issues;
  if ("problem" in explained) throw new UsageError(explained.problem);
  const { explanation, otherPools, ...pulls } = explained;
  const ofPools = pools.length > 0 ? { pool, otherPools } : {};
  const refusal = isRefused ? { isRefused } : {};
  const result = { ...explanation, ...pulls, renderedBy, ...refusal, ...ofPools, coverage };
  print(rendered(result, output, withCoverage(imageText)));
  const isKnown = all.every(({ code }) => code !== "UnreadNodeFile");
  return pulls.verdict.pullable && isKnown && notCovered.length === 0 ? exitCodes.fine : exitCodes.issues;
}
