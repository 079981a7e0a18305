/** A program that renders manifests from a folder. */
export type Renderer = "kustomize" | "helm";

/** A folder to render, as in `-k`, `--helm` and the sides of `hubrelay diff`. */
export type RenderedFolder = Readonly<{
  program: Renderer;
  folder: string;
  /** True if kustomize may run plugins that the folder names. */
  hasPlugins?: boolean;
}>;

/** The option of kustomize, and of hubrelay's commands, that allows plugins. */
export const pluginOption = "--enable-alpha-plugins";

/** Returns the argument of `-f` that makes a command render a folder: `kustomize:FOLDER` or `helm:FOLDER`. */
export const renderedBy = ({ program, folder, hasPlugins = false }: RenderedFolder): string =>
  `${program}${hasPlugins ? ` ${pluginOption}` : ""}:${folder}`;

/** Returns the folder to render that an argument names; undefined for a path. */
export function renderedFolder(argument: string): RenderedFolder | undefined {
  const [, program, plugins, folder] =
    /^(kustomize|helm)( --enable-alpha-plugins)?:(.+)$/.exec(argument) ?? [];
  if (folder === undefined || (program !== "kustomize" && program !== "helm")) return undefined;
  return { program, folder, ...(plugins === undefined ? {} : { hasPlugins: true }) };
}
