/** What makes manifests of a folder. */
export type Renderer = "kustomize" | "helm";

/** A folder that a program renders, as `-k`, `--helm` and the sides of `hubrelay diff` name it. */
export type RenderedFolder = Readonly<{
  program: Renderer;
  folder: string;
  /** kustomize runs what the folder names as plugins. */
  hasPlugins?: boolean;
}>;

/** The option of kustomize, and of commands, that allows plugins. */
export const pluginOption = "--enable-alpha-plugins";

/** Returns the argument that names what a program makes of a folder. */
export const renderedBy = ({ program, folder, hasPlugins = false }: RenderedFolder): string =>
  `${program}${hasPlugins ? ` ${pluginOption}` : ""}:${folder}`;

/** Returns the folder that an argument wants rendered; undefined for a path. */
export function renderedFolder(argument: string): RenderedFolder | undefined {
  const [, program, plugins, folder] =
    /^(kustomize|helm)( --enable-alpha-plugins)?:(.+)$/.exec(argument) ?? [];
  if (folder === undefined || (program !== "kustomize" && program !== "helm")) return undefined;
  return { program, folder, ...(plugins === undefined ? {} : { hasPlugins: true }) };
}
