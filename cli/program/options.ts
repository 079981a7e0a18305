import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import type { CliCommand } from "./command.ts";
import { type FailCondition, failConditions } from "./fail-on.ts";
import { collect, duration, image, moment, registry, version, wholeNumber } from "./option-values.ts";
import { pluginOption, type Renderer, renderedBy, renderedFolder } from "./rendered-argument.ts";

export const fileOption = () =>
  new Option(
    "-f, --filename <path>",
    'file, directory (recursive) or "-" for standard input; repeatable',
  ).argParser(collect);
/** `-f` of commands that read the hub of the kubeconfig if `-f` is absent. */
export const hubOrFileOption = () => {
  const option = fileOption();
  option.description += "; without it the hub of the kubeconfig is read";
  return option;
};
/** Lets a command take paths as arguments, with the same meaning as the paths of `-f`. */
export function addPathArguments(command: CliCommand): CliCommand {
  // The arguments become values of `-f`, so that other code need not know about arguments.
  const addPath = (path: string) =>
    command.setOptionValue("filename", collect(path, command.getOptionValue("filename")));
  return command.addArgument(
    new Argument("[path...]", "files and directories, as -f names them").argParser(addPath),
  );
}

function withPlugins(argument: string): string {
  const given = renderedFolder(argument);
  return given?.program === "kustomize" ? renderedBy({ ...given, hasPlugins: true }) : argument;
}

class FileOption extends Option {
  override attributeName(): string {
    return "filename";
  }
}

/** Adds `-k` and `--helm` to a command. Their folders become values of `-f`. */
export function addRenderOptions<Any extends Command>(command: Any, where = ""): Any {
  const rendering = (program: Renderer) => (folder: string, previous?: readonly string[]) =>
    collect(renderedBy({ program, folder }), previous);
  return command
    .addOption(
      new FileOption(
        "-k, --kustomize <dir>",
        `what kustomize, or kubectl, makes of a kustomization${where}; repeatable`,
      ).argParser(rendering("kustomize")),
    )
    .addOption(new Option(pluginOption, "let kustomize run the plugins that the folders of -k name"))
    .hook("preAction", (_, action) => {
      const { enableAlphaPlugins, filename } = action.opts<{
        enableAlphaPlugins?: true;
        filename?: string[];
      }>();
      if (enableAlphaPlugins) action.setOptionValue("filename", filename?.map(withPlugins));
    })
    .addOption(
      new FileOption(
        "--helm <dir>",
        `what Helm makes of a chart and its values${where}; repeatable`,
      ).argParser(rendering("helm")),
    );
}

/** Adds `-k` and `--helm` to a command and its subcommands, if they have `-f`. */
export function addRenderOptionsBelow(command: Command): void {
  for (const below of command.commands) addRenderOptionsBelow(below);
  if (command.options.some(({ long }) => long === "--filename")) addRenderOptions(command);
}
/** `--release-image` of commands that build the configuration of nodes. */
export const releaseImageOption = () =>
  new Option(
    "--release-image <image>",
    "the release that nodes run, instead of the ClusterVersion's",
  ).argParser(image);
/** `--release-version`. `whose` is the end of the help text. */
export const releaseVersionOption = (whose = "nodes run, such as 4.18.9, instead of the ClusterVersion's") =>
  new Option("--release-version <version>", `version of the release that ${whose}`).argParser(version);
/** The options of commands that build the configuration of nodes. */
export const releaseOptions = () => [releaseImageOption(), releaseVersionOption()];
/** `-w` of commands whose result changes when the hub changes. */
export const watchOption = () => new Option("-w, --watch", "print again after each change, until Ctrl-C");
/** `-o` of commands that print a table. With `wide`, the lists in the table are not shortened. */
export const outputOption = (...others: readonly "wide"[]) =>
  new Option("-o, --output <format>", "output format")
    .choices(["table", ...others, "json", "yaml"])
    .default("table");
/** `--quiet`, with which a command prints only errors. */
export const quietOption = () =>
  new Option(
    "-q, --quiet",
    "print only errors: no warnings, table or counts; formats for programs stay whole",
  );
/** `--require-coverage` of commands that may not read all of their input. */
export const requireCoverageOption = () =>
  new Option("--require-coverage", "an error if something was not read, or is assumed");
/** `--without` of commands that report from where nodes pull images. The help text begins with `where`. */
export const withoutOption = (where = "") =>
  new Option(
    "--without <host[/path]>",
    `${where}from where nodes pull while this registry, or this path in it, is down; repeatable`,
  ).argParser(registry);
/** The longest timer of Node.js, in milliseconds. */
const maxTimer = 2 ** 31 - 1;

/** `--timeout` and `--max-requests` of commands that send many requests to registries. `rest` ends the help texts. */
export const requestLimits = (rest: string) => [
  new Option("--timeout <duration>", `time for all requests to registries${rest}`)
    .argParser((text) => Math.min(duration(text), maxTimer))
    .default(30 * 60_000, "30m"),
  new Option("--max-requests <n>", `requests to registries${rest}`)
    .argParser(wholeNumber(1, 10_000_000))
    .default(50_000),
];
/**
 * `--policies`, which conflicts with `others`, and the options for its keys. The help of `--policies` names `images`.
 */
export const policyOptions = (images: string, others: readonly string[]) => [
  new Option(
    "--policies",
    `print ClusterImagePolicies for those of ${images} whose signatures are valid and not yet required`,
  ).conflicts(["output", ...others]),
  new Option(
    "--key <file>",
    "for --policies: a public key in PEM, beside those of OpenShift's releases; repeatable",
  ).argParser(collect),
  new Option("--fulcio-ca <file>", "for --policies: certificates in PEM of the authority of keyless signers"),
  new Option("--rekor-key <file>", "for --fulcio-ca: the public key in PEM of their transparency log"),
];
/** `--pull-secret` of commands that send requests to registries. The help text begins with `where`. */
export const pullSecretOption = (where = "") =>
  new Option(
    "--pull-secret <file>",
    `${where}file with the .dockerconfigjson of a pull secret, instead of the hub's own`,
  );
/** `--now` of commands whose result depends on the present time. */
export const nowOption = () =>
  new Option("--now <time>", "as if it were this time (RFC 3339)")
    .argParser(moment)
    .default(undefined, "now");

function conditionOf(text: string): FailCondition {
  const found = failConditions.find((one) => one === text);
  if (found) return found;
  const nearest = nearestName(text, failConditions);
  throw new InvalidArgumentError(
    nearest ? `Did you mean ${nearest}?` : `It must be a list of ${failConditions.join(", ")}.`,
  );
}

/** `--fail-on` of commands that check changes. */
export const failOnOption = () =>
  new Option(
    "--fail-on <list>",
    `exit with 1 for these as well as for errors: ${failConditions.join(", ")}; a cost stands for higher ones too`,
  )
    .argParser((text) => text.split(",").map((one) => conditionOf(one.trim())))
    .default(undefined, "failOn of .hubrelay.yaml, else error");
