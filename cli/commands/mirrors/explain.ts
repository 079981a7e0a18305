import { isGenerated, owner, ownerAnnotation } from "#functions/mirror-config/ownership.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isMachineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import { assumedRelease } from "#shared/domain/mirrors/assumed-release.ts";
import { configureMirrors, type MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { explainImage } from "#shared/domain/mirrors/explain/explain-image.ts";
import { previousOf } from "#shared/domain/mirrors/mirror-input.ts";
import { rejectedByOperator } from "#shared/domain/mirrors/rejected-by-operator.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { imageText } from "./image-text.ts";
import { mirrorInput } from "./mirror-input.ts";
import type { ReleaseOptions } from "./release-input.ts";

export type ExplainOptions = ReleaseOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    output: "table" | StructuredFormat;
    namespace?: string;
    compat?: "mco";
    issues: "text" | "json";
  }>;

/** Returns the files that hubrelay has written, of which what is left out now keeps what they block. */
function appliedOf(machineConfigs: readonly KubernetesObject[]): Pick<MirrorInput, "previous"> {
  const own = machineConfigs.find(({ metadata }) => metadata.annotations?.[ownerAnnotation] === owner);
  return own ? { previous: previousOf(readMachineConfigFiles(own)) } : {};
}

/**
 * Runs `hubrelay explain`: prints how a node with the rendered files pulls an image on standard output, issues on
 * standard error. Where machine-config-operator has generated a MachineConfig, the files are those that it writes; the
 * result says whose they are. Prints nothing if nothing can be rendered. Returns the exit code.
 */
export async function explain(image: string, options: ExplainOptions): Promise<number> {
  const { filename, output, namespace, compat, issues: format } = options;
  const { input, issues, place } = await mirrorInput("explain", filename, options, [kinds.MachineConfig]);
  const machineConfigs = input.objects.filter(
    (object) => isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name),
  );
  const isOperators = compat === "mco" || machineConfigs.some(isGenerated);
  const configuration = isOperators
    ? configureMirrors(input, { compat: "mco" })
    : configureMirrors({ ...input, ...appliedOf(machineConfigs) });
  const ofOperator = isOperators ? assumedRelease(configuration.releases) : rejectedByOperator(input);
  const exitCode = printIssues(place([...issues, ...ofOperator, ...configuration.issues]), format);
  if (configuration.refused) return exitCodes.issues;
  const explanation = explainImage(image, configuration.files, namespace === undefined ? {} : { namespace });
  if ("problem" in explanation) throw new UsageError(explanation.problem);
  const renderedBy = isOperators ? "machine-config-operator" : "hubrelay";
  print(rendered({ ...explanation, renderedBy }, output, (clean) => imageText(clean, renderedBy)));
  return exitCode;
}
