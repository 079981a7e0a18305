/** A program that renders manifests from a folder. */
export type Renderer = "kustomize" | "helm";

/** A folder that a command renders before it reads the manifests. */
export type RenderedFolder = Readonly<{
  program: Renderer;
  folder: string;
  /** True if kustomize may run plugins that the folder names. */
  hasPlugins?: boolean;
}>;

/** The option that allows plugins. It has this name in kustomize and in hubrelay. */
export const pluginOption = "--enable-alpha-plugins";

/** Returns the value of `-f` for a rendered folder, such as `kustomize:FOLDER`. */
export const renderedBy = ({ program, folder, hasPlugins = false }: RenderedFolder): string =>
  `${program}${hasPlugins ? ` ${pluginOption}` : ""}:${folder}`;

/** Returns the folder to render for a value of `-f` such as `kustomize:FOLDER`; undefined if the value is a path. */
export function renderedFolder(argument: string): RenderedFolder | undefined {
  const [, program, plugins, folder] =
    /^(kustomize|helm)( --enable-alpha-plugins)?:(.+)$/.exec(argument) ?? [];
  if (folder === undefined || (program !== "kustomize" && program !== "helm")) return undefined;
  return { program, folder, ...(plugins === undefined ? {} : { hasPlugins: true }) };
}
