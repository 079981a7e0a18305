import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import {
  decodeText,
  fileProblem,
  maxFileSize,
  requireRegularFile,
  sizeProblem,
} from "#shared/adapters/file-text.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { UsageError } from "../program/exit-codes.ts";
import { showable } from "./issue-text.ts";
import type { RenderedOrigins } from "./rendered/rendered-origins.ts";

/** The name of standard input in messages. */
export const stdinName = "stdin";

/** Returns the error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path}: ${fileProblem(error)}`, { cause: error });
}

/** A text that is read as manifests, and its origin. */
export type Source = ManifestText &
  Readonly<{
    /** The folder in `-f` that contains the file. */
    folder?: string;
    /** The folder from which the text is rendered; absent for the text of a file. */
    directory?: string;
    origins?: RenderedOrigins;
    /** True for input of kustomize or Helm, which is not read as a manifest. */
    isInput?: true;
  }>;

async function* limited(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxFileSize)
      throw new UsageError(
        `${name} is not read: it has more than the limit of ${maxFileSize / 1024 / 1024} MiB`,
      );
    yield chunk;
  }
}

/** Reads standard input as text. Throws `UsageError` if it is larger than `maxFileSize`. */
export async function readStdin(chunks: AsyncIterable<Buffer> = process.stdin): Promise<string> {
  return decodeText(await buffer(limited(stdinName, chunks)));
}

/**
 * Reads the text of a file, or of a pipe of the shell (`<(command)`). Throws for other pipes, and for a text above
 * `maxFileSize`.
 */
export async function sourceOf(file: string): Promise<Source> {
  const stats = await stat(file);
  requireRegularFile(file);
  // The size of a pipe is unknown until its end.
  if (!stats.isFile())
    return showable({ file, text: decodeText(await buffer(limited(file, createReadStream(file)))) });
  const problem = sizeProblem(stats.size);
  if (problem !== undefined) throw new UsageError(`${file} is not read: ${problem}`);
  return showable({ file, text: decodeText(await readFile(file)) });
}
