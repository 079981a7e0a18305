import { writerOf } from "#functions/mirror-config/ownership.ts";
import { hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { assumedRelease } from "#shared/domain/mirrors/assumptions.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
  mirrorInputOf,
} from "#shared/domain/mirrors/configuration.ts";
import {
  explainSources,
  type MirrorExplanation,
  type SourceExplanation,
} from "#shared/domain/mirrors/explain/explain-source.ts";
import { originText, pullsText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import { policyTemplate } from "#shared/domain/mirrors/policies/policy-json.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/written-files.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { manifestsOrHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { joined, painted, print, type SafeText, safe, verbatim } from "../../io/safe-text.ts";
import { content, rendered } from "../../io/structured-output.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { mirrorInputKinds, namedRelease, type ReleaseOptions, requirePool } from "./mirror-input.ts";

function listText(label: string, items: readonly string[]): SafeText {
  return safe`${items.map((item, index) => safe`     ${(index === 0 ? label : "").padEnd(13)}${item}\n`)}`;
}

function mirrorText(mirror: MirrorExplanation, index: number): SafeText {
  const { location, listedBy, insecureBy, inherited } = mirror;
  const from = inherited ? [`${inherited.location}, a mirror of ${inherited.scope}`] : [];
  return safe`${[
    safe`  ${index + 1}. ${painted("bold", location)} for ${pullsText[mirror.pulls]}\n`,
    listText("inherited", from),
    listText("listed by", listedBy.map(originText)),
    listText("no TLS by", insecureBy.map(originText)),
  ]}`;
}

function sourceText(source: SourceExplanation): SafeText {
  const { scope, mirrors, blockedBy, insecureBy, inheritsFrom } = source;
  const inherits =
    inheritsFrom === null ? safe`` : safe`  has no mirrors of its own and uses those of ${inheritsFrom}\n`;
  const last =
    blockedBy.length > 0 ? safe`  then nothing: the source is blocked\n` : safe`  then the source itself\n`;
  return safe`${[
    safe`${painted("bold", scope)}\n`,
    inherits,
    ...mirrors.map((mirror, index) => mirrorText(mirror, index)),
    last,
    listText("blocked by", blockedBy.map(originText)),
    listText("no TLS by", insecureBy.map(originText)),
  ]}`;
}

function sourcesText(sources: readonly SourceExplanation[]): SafeText {
  if (sources.length === 0) return safe`registries.conf has no entries.\n`;
  return joined(sources.map(sourceText), safe`\n`);
}

export type RenderOptions = ReleaseOptions &
  Readonly<{
    /** Paths of `-f`; absent for the live hub. */
    filename?: readonly string[];
    output: "registries-conf" | "policy-json" | "machine-config" | "json" | "files";
    /** The pool of the MachineConfig; `worker` by default. */
    pool?: string;
    dir?: string;
    /** The source whose entry of registries.conf is explained; true for every entry. */
    explain?: string | true;
  }>;

async function writeTree({ files }: MirrorConfiguration, dir: string): Promise<SafeText> {
  await ensureDirectory(dir);
  const written: string[] = [];
  for (const { path, mode, contents } of files) written.push(await writeWhole(dir, path, contents, mode));
  return safe`${written.map((path) => safe`${path}\n`)}`;
}

type Output = Readonly<{ text: SafeText; issues: readonly Issue[] }>;

function machineConfigOutput(
  { pool = "worker" }: RenderOptions,
  configuration: MirrorConfiguration,
  { image }: MirrorInput,
): Output {
  const { files, ignition } = configuration;
  const machineConfig = renderMachineConfig({ pool, files, ignition, ...(image ? { image } : {}) });
  const { kind, metadata } = machineConfig;
  return {
    text: content(machineConfig, "yaml"),
    issues: machineConfigSizeIssues(machineConfig, { kind, name: metadata.name }),
  };
}

function explanationOf(
  { explain, output }: RenderOptions,
  { entries, basis }: MirrorConfiguration,
): SafeText {
  const scope = explain === true ? undefined : explain;
  const sources = basis ? explainSources(entries, basis, scope) : [];
  if (scope !== undefined && sources.length === 0)
    throw new UsageError(`--explain ${scope}: registries.conf has no entry of this scope.`);
  return rendered(sources, output, sourcesText);
}

async function outputOf(
  options: RenderOptions & Readonly<{ side: string | undefined }>,
  configuration: MirrorConfiguration,
  input: MirrorInput,
): Promise<Output> {
  if (options.explain !== undefined) return { text: explanationOf(options, configuration), issues: [] };
  switch (options.output) {
    case "registries-conf":
      return { text: verbatim(configuration.registriesConf), issues: [] };
    case "policy-json": {
      const file = configuration.files.find(({ path }) => path === nodePaths.policy);
      return { text: verbatim(`${(file?.contents ?? policyTemplate).trimEnd()}\n`), issues: [] };
    }
    case "machine-config":
      return machineConfigOutput(options, configuration, input);
    case "json": {
      const { entries, files, applied, leftOut, issues } = configuration;
      const shown = {
        ...redactTexts({ side: options.side, entries, files, applied, leftOut, issues }),
        files,
      };
      return { text: content(shown, "json"), issues: [] };
    }
    case "files":
      return { text: await writeTree(configuration, treeRoot(options)), issues: [] };
  }
}

function treeRoot({ dir }: RenderOptions): string {
  if (!dir) throw new UsageError("-o files needs --dir DIR, the output folder.");
  return dir;
}

function checkOptions(options: RenderOptions): void {
  const { output, pool, dir, explain } = options;
  if (explain !== undefined && output !== "registries-conf" && output !== "json")
    throw new UsageError("--explain supports text output, or JSON with -o json");
  if (output === "files") treeRoot(options);
  else if (dir !== undefined) throw new UsageError("--dir needs -o files.");
  if (pool !== undefined && output !== "machine-config")
    throw new UsageError("--pool needs -o machine-config.");
}

/** Runs `hubrelay render`: prints the result or, for a refused input, only issues. Returns the exit code. */
export async function render(options: RenderOptions): Promise<number> {
  const { filename, pool } = options;
  checkOptions(options);
  const ofPool = pool === undefined ? [] : [kinds.MachineConfigPool];
  const given = await manifestsOrHub(
    filename,
    [...mirrorInputKinds, ...ofPool],
    [kinds.Infrastructure, kinds.FeatureGate],
  );
  const { objects, issues: unreadable, place, named } = chosenSide(given, mirrorInputKinds);
  requireObjects({ ...given, objects }, { paths: filename, command: "render", kinds: mirrorInputKinds });
  if (pool !== undefined) requirePool(objects, pool);
  const input = { ...mirrorInputOf(objects), ...namedRelease(options) };
  const configuration = configureMirrors(input, { writer: writerOf(objects) });
  const known = [...unreadable, ...assumedRelease(configuration.releases), ...configuration.issues];
  if (configuration.refused) {
    printIssues(place(known));
    return exitCodes.issues;
  }
  const { text, issues } = await outputOf({ ...options, side: named?.name }, configuration, input);
  const exitCode = printIssues(place([...known, ...issues]));
  if (hasErrors(issues)) return exitCode;
  print(text);
  return exitCode;
}
