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

/** How messages name standard input. */
export const stdinName = "stdin";

/** Returns the error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(`${path}: ${fileProblem(error)}`, { cause: error });
}

/** A text, and what is known of the file that it is. */
export type Source = ManifestText &
  Readonly<{
    /** The folder of `-f` that the file is in. */
    folder?: string;
    /** The folder by which what was rendered of it is known from others; without it that of the file. */
    directory?: string;
    /** The files that it was rendered from. */
    origins?: RenderedOrigins;
    /** The file is no manifest, but input of kustomize or Helm. */
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

/** Reads standard input as text, and throws a `UsageError` when it has more than a file may have. */
export async function readStdin(chunks: AsyncIterable<Buffer> = process.stdin): Promise<string> {
  return decodeText(await buffer(limited(stdinName, chunks)));
}

/** Reads a file as text, or a pipe of the shell (`<(command)`). Throws for another pipe, and for what is too large. */
export async function sourceOf(file: string): Promise<Source> {
  const stats = await stat(file);
  requireRegularFile(file);
  // The size of a pipe is not known before its end.
  if (!stats.isFile())
    return showable({ file, text: decodeText(await buffer(limited(file, createReadStream(file)))) });
  const problem = sizeProblem(stats.size);
  if (problem !== undefined) throw new UsageError(`${file} is not read: ${problem}`);
  return showable({ file, text: decodeText(await readFile(file)) });
}
