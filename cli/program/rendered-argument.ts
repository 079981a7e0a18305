/** What makes manifests of a folder. */
export type Renderer = "kustomize" | "helm";

/** A folder that a program renders, as `-k`, `--helm` and the sides of `hubrelay diff` name it. */
export type RenderedFolder = Readonly<{ program: Renderer; folder: string }>;

/** Returns the argument that names what a program makes of a folder. */
export const renderedBy = ({ program, folder }: RenderedFolder): string => `${program}:${folder}`;

/** Returns the folder that an argument wants rendered; undefined for a path. */
export function renderedFolder(argument: string): RenderedFolder | undefined {
  const [, program, folder] = /^(kustomize|helm):(.+)$/.exec(argument) ?? [];
  if (folder === undefined || (program !== "kustomize" && program !== "helm")) return undefined;
  return { program, folder };
}
