import { Option } from "commander";
import { collect, moment } from "./option-values.ts";

/** `-f`, the same for every command that reads manifests. */
const fileOption = () =>
  new Option(
    "-f, --filename <path>",
    'file, directory (recursive) or "-" for standard input; repeatable',
  ).argParser(collect);
/** `-f` of commands that otherwise read the hub that the kubeconfig names. */
export const hubOrFileOption = () => {
  const option = fileOption();
  option.description += "; without it the hub of the kubeconfig is read";
  return option;
};
export const compatOption = (system: "mco" | "oc" | "hypershift" | "talm" = "mco") =>
  new Option(
    "--compat <system>",
    "give exactly what this system gives, its refusals and traps included",
  ).choices([system]);
/** `-o` of commands that answer with a report. */
export const reportOption = () =>
  new Option("-o, --output <format>", "how the answer is written")
    .choices(["table", "json", "yaml"])
    .default("table");
export const issuesOption = () =>
  new Option("--issues <format>", "how issues are written to standard error")
    .choices(["text", "json"])
    .default("text");
/** For commands whose answer depends on the time. */
export const nowOption = () =>
  new Option("--now <time>", "as if it were this time (RFC 3339)")
    .argParser(moment)
    .default(undefined, "now");
