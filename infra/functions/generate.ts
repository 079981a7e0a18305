import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../paths.ts";
import { generatedFiles } from "./generated-files.ts";

for (const [path, content] of Object.entries(generatedFiles(paths.root)))
  await writeFile(join(paths.root, path), content);
