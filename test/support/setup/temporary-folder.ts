import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, onTestFinished as ofCurrentTest } from "vitest";

/** What a process of a killed test still writes there must not fail its removal. */
const removed = (folder: string) => rm(folder, { recursive: true, force: true });

/** Creates a folder that is removed when the running test ends. Tests that run concurrently pass their own `onTestFinished`. */
export async function temporaryFolder(onTestFinished = ofCurrentTest): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-test-"));
  onTestFinished(() => removed(folder));
  return folder;
}

/** Creates a folder with these files for all tests of the calling file; `path` is set before the first one. */
export function sharedFolder(files: Readonly<Record<string, string>> = {}): Readonly<{ path: string }> {
  const folder = { path: "" };
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), "hubrelay-test-"));
    for (const [name, contents] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await writeFile(join(folder.path, name), contents);
    }
  });
  afterAll(() => removed(folder.path));
  return folder;
}
