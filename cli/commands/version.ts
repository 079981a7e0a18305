import packageJson from "../../package.json" with { type: "json" };
import { print, safe } from "../io/safe-text.ts";
import type { CliCommand } from "../program/command.ts";
import { outputOption } from "../program/options.ts";

/** Adds `hubrelay version`. */
export function addVersionCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("version")
    .description("print the versions of hubrelay and of Node.js")
    .addOption(outputOption())
    .action(async ({ output }) => {
      const { rendered } = await import("../io/structured-output.ts");
      const versions = { hubrelay: packageJson.version, node: process.versions.node };
      print(rendered(versions, output, (all) => safe`hubrelay ${all.hubrelay}\nNode.js ${all.node}\n`));
    });
}
