import { readFileSync } from "node:fs";
import { packageFile } from "../../../cli/program/package-files.ts";

/** Returns the lines of a file of examples that end with a comment such as `// refused: index`, and the reason in it. */
export function refusedLines(file: string): readonly Readonly<{ line: number; reason: string }>[] {
  return readFileSync(packageFile(file), "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const reason = /\/\/ refused: (.+)$/.exec(text)?.[1];
      return reason === undefined ? [] : [{ line: index + 1, reason }];
    });
}
