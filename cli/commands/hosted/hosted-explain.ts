import { type GivenCluster, readHostedClusters } from "#shared/domain/hosted-clusters/given-clusters.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import {
  explainHostedImage,
  type HostedImageExplanation,
} from "#shared/domain/hosted-clusters/overrides/explain.ts";
import {
  decodeReplacements,
  decodeReplacementsLikeHypershift,
  type RegistryReplacements,
} from "#shared/domain/hosted-clusters/overrides/registry-overrides-flag.ts";
import { tellIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type CheckedRegistry, type CheckOptions, whyNotThere, withRegistry } from "./hosted-check.ts";
import { hostedImageText } from "./hosted-image-text.ts";
import { chosenClusters, readHostedInput } from "./hosted-input.ts";

export type ExplainHostedOptions = Readonly<{
  output: "table" | StructuredFormat;
  registryOverrides?: string;
  compat?: "hypershift";
  issues: "text" | "json";
}> &
  CheckOptions;

function readReplacements({ registryOverrides, compat }: ExplainHostedOptions): RegistryReplacements {
  if (registryOverrides === undefined) return new Map();
  const decode = compat ? decodeReplacementsLikeHypershift : decodeReplacements;
  const decoded = decode(registryOverrides);
  if ("error" in decoded) throw new UsageError(decoded.error);
  return decoded.replacements;
}

/** Tells why a reference cannot be had; undefined when it can. */
type WhyNot = (reference: string) => Promise<string | undefined>;

/** Asks as whom the named cluster would; as nobody without a name. */
async function whyNot(
  { registry, accessOf }: CheckedRegistry,
  given: GivenCluster | undefined,
): Promise<WhyNot> {
  const access = await accessOf(given?.cluster);
  return (reference) => whyNotThere(registry, reference, access);
}

/**
 * Explains again and again, each time with one place less, until the one that is taken has the image. Without
 * registries the first answer counts. Throws `UsageError` when the image is no image name.
 */
async function explainChecked(
  why: WhyNot | undefined,
  explain: (unavailable: ReadonlyMap<string, string>) => ReturnType<typeof explainHostedImage>,
): Promise<HostedImageExplanation> {
  const unavailable = new Map<string, string>();
  for (;;) {
    const explanation = explain(unavailable);
    if ("problem" in explanation) throw new UsageError(explanation.problem);
    const reference = explanation.candidates.find(({ taken }) => taken)?.reference;
    const answer = why && reference ? await why(reference) : undefined;
    if (answer === undefined || !reference) return explanation;
    unavailable.set(reference, answer);
  }
}

/**
 * `hubrelay hosted explain`: the candidates of an image on standard output, what is wrong with mirror objects on
 * standard error. Answers the exit code.
 */
export async function explainHosted(
  image: string,
  name: string | undefined,
  options: ExplainHostedOptions,
): Promise<number> {
  const { filename, output, compat, issues: format } = options;
  const replacements = readReplacements(options);
  const { objects, issues, damage } = await readHostedInput(filename);
  const clusters = chosenClusters(readHostedClusters(objects), name, ({ cluster }) => cluster);
  const isRelease = clusters.some(({ cluster }) =>
    [cluster.releaseImage, cluster.controlPlaneReleaseImage].includes(image),
  );
  const explanation = await withRegistry(options, objects, async (checked) =>
    explainChecked(
      checked && (await whyNot(checked, name === undefined ? undefined : clusters[0])),
      (unavailable) => explainHostedImage(image, objects, { compat, replacements, isRelease, unavailable }),
    ),
  );
  const original = compat
    ? undefined
    : explainHostedImage(image, objects, { compat: "hypershift", isRelease });
  const mirrors = objects.filter(({ kind }) => kind !== "HostedCluster");
  const told = reportHostedClusters(mirrors, { compat }).issues;
  const exitCode = tellIssues([...issues, ...[...damage.values()].flat(), ...told], format);
  print(output === "table" ? hostedImageText(explanation, original) : structured(explanation, output));
  return exitCode;
}
