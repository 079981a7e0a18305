import { cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { paths } from "../../../infra/paths.ts";
import { succeeded } from "../../../infra/run-program.ts";

/** A machine of a CI system, with a shallow checkout of a change that adds the invalid manifest of `examples/hub`. */
export type CiMachine = Readonly<{
  checkout: string;
  env: NodeJS.ProcessEnv;
  /** The checked-out merge of the change, and the commit that it was merged into. */
  merge: string;
  base: string;
  /** The calls of programs that the machine only stands in for. */
  calls(): Promise<string>;
}>;

/**
 * Creates a machine below a folder. `stubs` are programs as shell scripts, by name; each call is recorded. With
 * `isMistakeOld` the invalid manifest was there before the change.
 */
export async function ciMachine(
  below: string,
  stubs: Readonly<Record<string, string>>,
  { isMistakeOld = false }: Readonly<{ isMistakeOld?: boolean }> = {},
): Promise<CiMachine> {
  const folder = await mkdtemp(join(below, "machine-"));
  const origin = join(folder, "origin");
  const checkout = join(folder, "checkout");
  const temporary = join(folder, "temporary");
  const programs = join(folder, "bin");
  const calls = join(folder, "calls");
  for (const path of [join(origin, "manifests"), programs, temporary]) await mkdir(path, { recursive: true });
  await writeFile(calls, "");
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const git = async (...args: readonly string[]) =>
    (await succeeded("git", [...identity, ...args], { cwd: origin })).stdout.trim();
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "uploadpack.allowAnySHA1InWant", "true");
  const examples = join(paths.root, "examples/hub");
  const copy = (withMistake: boolean) =>
    cp(examples, join(origin, "manifests"), {
      recursive: true,
      filter: (path) => withMistake || !path.endsWith("mistake.yaml"),
    });
  const commit = async (message: string) => {
    await git("add", ".");
    await git("commit", "--quiet", "--message", message);
  };
  await copy(isMistakeOld);
  await commit("before");
  await git("switch", "--quiet", "--create", "change");
  await copy(true);
  await writeFile(join(origin, "change.md"), "Why this is changed.\n");
  await commit("change");
  await git("switch", "--quiet", "main");
  await git("merge", "--quiet", "--no-ff", "--message", "merge", "change");
  const [merge, base] = [await git("rev-parse", "HEAD"), await git("rev-parse", "HEAD^1")];
  await git("clone", "--quiet", "--depth=1", `file://${origin}`, checkout);
  const hubrelay = `exec "${process.execPath}" "${join(paths.root, "cli/main.ts")}" "$@"`;
  const recorded = Object.entries(stubs).map(
    ([name, script]) => [name, `echo ${name} "$@" >> "${calls}"\n${script}`] as const,
  );
  for (const [name, script] of [["hubrelay", hubrelay] as const, ...recorded])
    await writeFile(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return {
    checkout,
    merge,
    base,
    calls: () => readFile(calls, "utf8"),
    env: {
      ...process.env,
      PATH: [programs, process.env.PATH].join(delimiter),
      RUNNER_TEMP: temporary,
      TMPDIR: temporary,
    },
  };
}
