import { fieldsOf, parseJson, textOf } from "../../json/values.ts";

/** The path in a release image of the list of its images. */
export const imageReferencesPath = "release-manifests/image-references";
/** The label of a release image with its version. */
const versionLabel = "io.openshift.release";

/** What a release image reports about itself. */
export type ReleaseContent = Readonly<{
  /** `4.20.4`; undefined if neither the label nor the list has it. */
  version: string | undefined;
  /** The images by the names of their components. */
  images: ReadonlyMap<string, string>;
}>;

function imageOf(tag: unknown): readonly (readonly [string, string])[] {
  const { name, from } = fieldsOf(tag);
  const image = fieldsOf(from).name;
  return typeof name === "string" && typeof image === "string" ? [[name, image]] : [];
}

/**
 * Reads the labels of a release image and its list of images, an ImageStream as JSON. The last of equal names wins.
 * Returns the `problem` if the list is invalid.
 */
export function readReleaseContent(
  labels: Readonly<Record<string, string>>,
  imageReferences: string | undefined,
): ReleaseContent | Readonly<{ problem: string }> {
  if (imageReferences === undefined) return { problem: `it has no ${imageReferencesPath}` };
  const stream = parseJson(imageReferences);
  const spec = fieldsOf(stream).spec;
  const tags = fieldsOf(spec).tags;
  if (!Array.isArray(tags)) return { problem: `its ${imageReferencesPath} is not a list of images` };
  const metadata = fieldsOf(fieldsOf(stream).metadata);
  return {
    version: textOf(labels[versionLabel]) ?? textOf(metadata.name),
    images: new Map(tags.flatMap(imageOf)),
  };
}
