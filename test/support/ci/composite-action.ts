import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { paths } from "../../../infra/paths.ts";
import { type CommandResult, finished } from "../../../infra/run-program.ts";

const step = z.object({
  id: z.string().default(""),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  run: z.string().optional(),
});
const action = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ description: z.string(), value: z.string() })),
  runs: z.object({ using: z.literal("composite"), steps: z.array(step) }),
});

/** Returns the action of this repository. */
export async function readAction() {
  return action.parse(parse(await readFile(join(paths.root, "action.yml"), "utf8")));
}

/** Where an action runs. `values` are GitHub's expressions of this run, by their text; a condition is one of them. */
export type ActionRun = Readonly<{
  cwd: string;
  env: NodeJS.ProcessEnv;
  values: Readonly<Record<string, string | boolean>>;
}>;

/**
 * Runs the scripts of the action one after the other as GitHub does, until one fails. Returns the result of the last with
 * the output of all. An expression without a value in `values` is an error of the test.
 */
export async function runAction({ cwd, env, values }: ActionRun): Promise<CommandResult> {
  const { inputs, runs } = await readAction();
  const known = new Map(Object.entries(values));
  for (const [name, { default: value }] of Object.entries(inputs))
    if (!known.has(`inputs.${name}`)) known.set(`inputs.${name}`, value);
  const evaluate = (expression: string) => {
    const text = expression.trim();
    // On GitHub an output that a step has not set is empty.
    const value = known.get(text) ?? (text.startsWith("steps.") ? "" : undefined);
    if (value === undefined) throw new Error(`the test has no value for ${text}`);
    return value;
  };
  const evaluated = (text: string) =>
    text.replaceAll(/\$\{\{(.+?)\}\}/g, (_, expression: string) => String(evaluate(expression)));
  let output = "";
  let result: CommandResult = { code: 0, stdout: "", stderr: "" };
  for (const { id, if: condition, env: variables, run } of runs.steps) {
    if (run === undefined || (condition !== undefined && !evaluate(condition))) continue;
    const outputs = join(cwd, "..", `outputs-of-${id}`);
    const stepEnv = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, evaluated(value)]),
    );
    result = await finished("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd,
      env: { ...env, GITHUB_OUTPUT: outputs, ...stepEnv },
    });
    output += result.stdout;
    if (result.code !== 0) break;
    if (id === "") continue;
    for (const line of (await readFile(outputs, "utf8")).trim().split("\n")) {
      const [name = "", value = ""] = line.split("=", 2);
      known.set(`steps.${id}.outputs.${name}`, value);
    }
  }
  return { ...result, stdout: output };
}
