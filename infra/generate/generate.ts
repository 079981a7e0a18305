import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { generatedFiles } from "./generated-files.ts";

await runScript("generate", async () => {
  scriptCommand("generate")
    .description(
      "Write what follows from the functions' manifests: manifests of Kubernetes, roles, lists, tables.",
    )
    .parse();
  for (const [path, content] of Object.entries(generatedFiles(paths.root)))
    await writeFile(join(paths.root, path), content);
});
