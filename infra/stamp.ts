import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

/**
 * Does work that a file describes once, and again only after the file has changed: `stamp` has the hash of its content. A
 * failure leaves no stamp, so the next call retries.
 */
export async function oncePerContent(
  described: string,
  stamp: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const wanted = hash("sha256", await readFile(described));
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === wanted) return;
  await work();
  await writeFile(stamp, wanted);
}
