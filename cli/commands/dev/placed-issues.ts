import { readFile } from "node:fs/promises";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { withPlaces } from "#shared/domain/manifests/issue-places.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";

/**
 * Returns the issues with the file, line and column of their fields, as the files are now.
 *
 * @param fileOf Returns the file of an object by its name, such as `ImageDigestMirrorSet/team`.
 */
export async function placedIssues(
  issues: readonly Issue[],
  fileOf: (object: string) => string | undefined,
): Promise<readonly Issue[]> {
  const files = new Set(issues.flatMap(({ object }) => fileOf(displayName(object)) ?? []));
  const texts = await Promise.all(
    [...files].map(async (file) => {
      // A file that is gone by now is shown without a line.
      const text = await readFile(file, "utf8").catch(() => "");
      return { file, text };
    }),
  );
  const objects = texts.flatMap(({ file, text }) => readManifests(text, file).objects);
  return withPlaces(issues, objects, texts);
}
