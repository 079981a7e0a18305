import { inspect } from "node:util";
import { Command, CommanderError, Option } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { addCompletionCommands } from "./commands/completion/completion-commands.ts";
import { addHubCommands } from "./commands/doctor/hub-commands.ts";
import { addHostedCommands } from "./commands/hosted/hosted-commands.ts";
import { addPrecacheCommands } from "./commands/precache/precache-commands.ts";
import { addProcessCommands } from "./commands/processes/process-commands.ts";
import { addQueueCommands } from "./commands/queues/queue-commands.ts";
import { addVersionCommand } from "./commands/version.ts";
import { addWindowCommands } from "./commands/windows/window-commands.ts";
import { lines, print, printMessage, safe } from "./io/safe-text.ts";
import { endQuietlyAtClosedPipe } from "./program/closed-pipe.ts";
import { exitCodes, UsageError } from "./program/exit-codes.ts";
import { addHubOptions } from "./program/hub-options.ts";
import { wholeNumber } from "./program/option-values.ts";
import {
  compatOption,
  hubOrFileOption,
  imageReferencesOption,
  issuesOption,
  nowOption,
  outputOption,
  releaseImageOption,
} from "./program/options.ts";

/** Puts an error of the command line, which commander writes as "error: …", on one line. */
function usageError(text: string): string {
  const [, problem = ""] = /^(?:error: )?(.*?)\.?\s*$/s.exec(text) ?? [];
  return `${problem.replaceAll("\n", " ")}. Run 'hubrelay --help' for usage.`;
}

function program(): Command {
  const hubrelay = new Command("hubrelay")
    .description("Event-driven serverless functions for the hub of an OpenShift fleet.")
    .version(packageJson.version, "-V, --version")
    .configureOutput({
      writeOut: (text) => print(lines(text)),
      writeErr: (text) => print(lines(text), process.stderr),
      outputError: (text) => printMessage(lines(usageError(text))),
    })
    .exitOverride()
    // "hosted" and "explain" share option names: options after "explain" belong to it.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExit codes: 0 fine, 1 the input has errors, 2 wrong usage or environment, or nothing to check.",
    );

  hubrelay
    .command("validate")
    .description(
      "report every error in mirror objects, image configuration and policies, HostedClusters, ClusterGroupUpgrades, PreCachingConfigs and MaintenanceWindows",
    )
    .addOption(hubOrFileOption())
    .option(
      "--against <old>",
      'the stored objects: a file, a directory, "-", or "hub", which then validates as well',
    )
    .option("--crds <dir>", "evaluate these CustomResourceDefinitions as well, their CEL rules included")
    .addOption(releaseImageOption())
    .addOption(imageReferencesOption())
    .addOption(compatOption())
    .addOption(
      new Option("-o, --output <format>", "text on standard error, all others on standard output")
        .choices(["text", "json", "sarif", "github", "junit"])
        .default("text"),
    )
    .addOption(issuesOption().default(undefined, "text"))
    .option("--allow-empty", "nothing to check is fine: exit code 0 instead of 2")
    .addHelpText(
      "after",
      `
References between the objects are checked as well. A named object that is not among the manifests is a warning: it may
exist elsewhere. Objects of other kinds are ignored, and counted.

With --against, an object is validated as an update of the stored object with its kind, namespace and name, so that
changes of immutable fields are found. "hub" means a server-side dry run on the hub, which stores nothing; a folder of
that name is ./hub.

Examples:
  hubrelay validate -f mirrors/
  oc get idms -o yaml | hubrelay validate -f -
  hubrelay validate -f manifests/ -o sarif > hubrelay.sarif
  hubrelay validate -f new/ --against old/             HostedClusters: the errors that the API server would return
  hubrelay validate -f new/ --against hub              the same, validated by the hub
  hubrelay validate -f new/ --crds hypershift-crds/    with HyperShift's CRDs, offline`,
    )
    .action(async (options) => {
      const { validate } = await import("./commands/mirrors/validate.ts");
      process.exitCode = await validate(options);
    });

  hubrelay
    .command("render")
    .description("merge mirror objects into the configuration files of a node")
    .addOption(hubOrFileOption())
    .addOption(
      new Option("-o, --output <what>", "what to print")
        .choices(["registries-conf", "policy-json", "machine-config", "json", "files"])
        .default("registries-conf"),
    )
    .addOption(
      new Option("--format <format>", "format of the MachineConfig")
        .choices(["yaml", "json"])
        .default(undefined, "yaml"),
    )
    .addOption(new Option("--pool <name>", "pool of the MachineConfig").default(undefined, "worker"))
    .option("--dir <dir>", "output folder of -o files, as the root of a node")
    .option("--strict", "render nothing when anything is refused")
    .option("--explain [source]", "explain the entry of this source, or every entry, instead of rendering it")
    .addOption(releaseImageOption())
    .addOption(imageReferencesOption())
    .addOption(compatOption())
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
Examples:
  hubrelay render -f mirrors/                          registries.conf on standard output
  hubrelay render -f - --compat mco < all.yaml         what machine-config-operator writes, or its refusal
  hubrelay render -f mirrors/ -o machine-config --pool master --format json
  hubrelay render -f mirrors/ -o files --dir node-root
  hubrelay render -f mirrors/ --explain quay.io/ns     which objects put its mirrors there, and why in this order`,
    )
    .action(async (options) => {
      const { render } = await import("./commands/mirrors/render.ts");
      process.exitCode = await render(options);
    });

  hubrelay
    .command("explain")
    .description("show where a node looks for an image, in order, what it skips and why")
    .argument("<image>", "as in a pod spec; a short name is looked up at every search registry")
    .addOption(hubOrFileOption())
    .option("-n, --namespace <name>", "namespace of the pod, which may have its own signature policy")
    .addOption(outputOption())
    .addOption(releaseImageOption())
    .addOption(imageReferencesOption())
    .addOption(compatOption())
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
Examples:
  hubrelay explain quay.io/ns/app:v1 -f mirrors/
  hubrelay explain quay.io/ns/app@sha256:DIGEST -f mirrors/ -o json`,
    )
    .action(async (image, options) => {
      const { explain } = await import("./commands/mirrors/explain.ts");
      process.exitCode = await explain(image, options);
    });

  hubrelay
    .command("diff")
    .description("show what changes between two configurations and what that costs every node")
    .argument("<old>", "the current configuration")
    .argument("<new>", "the desired configuration")
    .addOption(nowOption())
    .addOption(outputOption().choices(["table", "json", "yaml", "markdown"]))
    .addOption(compatOption())
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
Each side is a file or directory of manifests, one file as it lies on a node (registries.conf, policy.json), a folder
that "render -o files" wrote, or "-" for standard input. MachineConfigPools, MachineConfiguration and Infrastructure
among the manifests decide what a change costs: the new side's, else the old side's. MaintenanceWindows among them show
which window a change waits for when it costs more than a pool allows.

Costs: none, reload (services, in place), drain, reboot. A change is not an error.

Examples:
  hubrelay diff mirrors/ changed-mirrors/
  hubrelay diff old.conf new.conf -o json
  hubrelay diff main/ branch/ -o markdown              the comment of a pull request
  oc get idms,itms,image.config.openshift.io,mcp -o yaml | hubrelay diff - mirrors/`,
    )
    .action(async (before, after, { now = new Date(), ...options }) => {
      const { diff } = await import("./commands/mirrors/diff.ts");
      process.exitCode = await diff(before, after, { now, ...options });
    });

  hubrelay
    .command("convert")
    .description("convert ImageContentSourcePolicies and older source policies to mirror sets")
    .addOption(hubOrFileOption())
    .option("--dir <dir>", "write a file for each object to this folder, instead of all to standard output")
    .addOption(
      new Option("-o, --output <format>", "output format")
        .choices(["yaml", "json"])
        .default("yaml")
        .conflicts("dir"),
    )
    .option("--check", "prove that the migration changes no node; files are written only if it does not")
    .addOption(compatOption("oc"))
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
With --compat oc the objects and the file names are those of "oc adm migrate icsp" (the YAML text may differ: order of
keys, indentation, quotes), and every file that oc refuses is refused, in hubrelay's words.

Examples:
  hubrelay convert                                 the policies of the live hub
  oc get imagecontentsourcepolicy -o yaml | hubrelay convert -f -
  hubrelay convert -f policies/ --dir mirror-sets
  hubrelay convert -f policies/ --check            exit code 1 and the difference when a node would change
  hubrelay convert -f icsp.yaml --compat oc --dir mirror-sets`,
    )
    .action(async (options) => {
      const { convert } = await import("./commands/mirrors/convert.ts");
      process.exitCode = await convert(options);
    });

  hubrelay
    .command("dev")
    .description("run the whole system on this machine, with a folder as the hub and queues in the process")
    .option("--hub <dir>", "working folder that serves as the hub", "hub")
    .option(
      "--from <dir>",
      "manifests to start with when the working folder is empty (default: the examples)",
    )
    .option("--once", "exit after the first round")
    .option("--log", "print a log instead of drawing a screen, as without a terminal")
    .addOption(
      new Option(
        "--update-graph <file>",
        "file with an update graph (Cincinnati JSON), which has the release images; no server is asked",
      ).env("HUBRELAY_UPDATE_GRAPH"),
    )
    .addOption(
      new Option(
        "--simulate <n>",
        "pre-cache on this number of simulated clusters instead, on a hub in memory, until all have ended",
      )
        .argParser(wholeNumber(1, 10_000))
        .conflicts(["hub", "from", "once"]),
    )
    .addOption(
      new Option("--seed <n>", "seed of the simulation: which clusters fail, are slow, or stay offline")
        .argParser(wholeNumber(0, 4_294_967_295))
        .default(1),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  hubrelay dev\n  hubrelay dev --hub my-hub --from manifests/ --once\n  hubrelay dev --update-graph stable-4.20.json\n  hubrelay dev --simulate 500",
    )
    .action(async (options, command: Command) => {
      const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
      if (isGiven("seed") && !isGiven("simulate")) throw new UsageError("--seed needs --simulate.");
      if (isGiven("updateGraph") && isGiven("simulate"))
        throw new UsageError("--update-graph cannot be used with --simulate.");
      if (options.simulate !== undefined) {
        const { simulateFleet } = await import("./commands/dev/dev-simulate.ts");
        process.exitCode = await simulateFleet(options);
        return;
      }
      const { dev } = await import("./commands/dev/dev.ts");
      process.exitCode = await dev(options);
    });

  addHostedCommands(hubrelay);
  addHubCommands(hubrelay);
  addPrecacheCommands(hubrelay);
  addProcessCommands(hubrelay);
  addQueueCommands(hubrelay);
  addWindowCommands(hubrelay);
  addVersionCommand(hubrelay);
  addCompletionCommands(hubrelay);
  addHubOptions(hubrelay);
  return hubrelay;
}

endQuietlyAtClosedPipe();
try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  else if (error instanceof UsageError) {
    printMessage(safe`${error.message}`);
    process.exitCode = exitCodes.usage;
  } else {
    printMessage(safe`this is a bug:\n${lines(inspect(error))}`);
    process.exit(exitCodes.bug);
  }
}
