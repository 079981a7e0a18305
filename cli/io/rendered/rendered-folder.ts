import { execFile } from "node:child_process";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { maxFileSize } from "#shared/adapters/file-text.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import { isChart, isKustomization } from "#shared/domain/manifests/unrendered/unrendered-folders.ts";
import { failureReason, renderFailed } from "#shared/domain/manifests/unrendered/unrendered-issues.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { pluginOption, type RenderedFolder, type Renderer } from "../../program/rendered-argument.ts";

const run = promisify(execFile);

/** The first command that is installed renders the folder. */
const renderers = {
  kustomize: [
    ["kustomize", "build"],
    ["kubectl", "kustomize"],
  ],
  helm: [["helm", "template"]],
} as const satisfies Readonly<Record<Renderer, readonly (readonly string[])[]>>;

const isEntry = { kustomize: isKustomization, helm: isChart } as const;

const isNotInstalled = (error: unknown): boolean => fieldsOf(error).code === "ENOENT";

/** The error for a folder that its program could not render. */
export class RenderFailure extends UsageError {
  readonly issue: Issue;

  constructor(message: string, issue: Issue, cause: unknown) {
    super(message, { cause });
    this.issue = issue;
  }
}

async function failure({ program, folder }: RenderedFolder, command: string, error: unknown) {
  const { stderr, message } = fieldsOf(error);
  // Without absolute paths, the text is the same for the copy of the repository before a change.
  const said = (textOf(stderr) || textOf(message) || "").replaceAll(`${process.cwd()}/`, "");
  const text = sentence`${command} failed: ${failureReason(said)}`;
  const names = await readdir(folder).catch((): readonly string[] => []);
  const entry = names.find(isEntry[program]);
  if (entry === undefined) return new UsageError(text, { cause: error });
  const issue = renderFailed({ folder, file: join(folder, entry) }, { command, program, stderr: said });
  return new RenderFailure(text, issue, error);
}

type Rendered = Readonly<{
  text: string;
  /** Returns the input file for a path given in the output. */
  fileOf(path: string): string;
}>;

type Command = Readonly<{ command: string; args: readonly string[] }>;

const printed = async ({ command, args }: Command, folder: string): Promise<string> =>
  (await run(command, [...args, folder], { maxBuffer: maxFileSize })).stdout;

/** Renders with annotations that name files. Returns undefined if that fails, as with a kustomize without them. */
async function builtWithOrigins(command: Command, folder: string): Promise<Rendered | undefined> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), "hubrelay-kustomize-")));
  try {
    const inner = await realpath(folder).catch(() => undefined);
    if (inner === undefined) return undefined;
    const kustomization = { resources: [relative(outer, inner)], buildMetadata: ["originAnnotations"] };
    await writeFile(join(outer, "kustomization.yaml"), JSON.stringify(kustomization));
    const text = await printed(command, outer);
    return { text, fileOf: (path) => join(folder, relative(inner, resolve(outer, path))) };
  } catch (error) {
    if (isNotInstalled(error)) throw error;
    return undefined;
  } finally {
    await rm(outer, { recursive: true, force: true });
  }
}

/** Renders a folder. Throws `UsageError` if the program is not installed or fails. */
export async function render(given: RenderedFolder): Promise<Rendered> {
  const { program, folder, hasPlugins } = given;
  // A path that begins with `-` would be read as an option.
  const path = folder.startsWith("-") ? `./${folder}` : folder;
  for (const [command, ...ofProgram] of renderers[program]) {
    const args = [...ofProgram, ...(hasPlugins ? [pluginOption] : [])];
    try {
      const whole = program === "kustomize" ? await builtWithOrigins({ command, args }, folder) : undefined;
      if (whole) return whole;
      return { text: await printed({ command, args }, path), fileOf: (below) => join(folder, below) };
    } catch (error) {
      if (isNotInstalled(error)) continue;
      throw await failure(given, [command, ...args, folder].join(" "), error);
    }
  }
  const names = renderers[program].map(([command]) => command).join(" or ");
  const [[command, ...args]] = renderers[program];
  throw new UsageError(
    `${folder} is not rendered: there is no ${names} on the PATH. Install it, or pipe what it prints elsewhere: ${[command, ...args, folder].join(" ")} | hubrelay validate -f -`,
  );
}
