import packageJson from "../../package.json" with { type: "json" };
import { print, safe } from "../io/safe-text.ts";
import type { CliCommand } from "../program/command.ts";
import { outputOption } from "../program/options.ts";

export function addVersionCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("version")
    .description("print the versions of hubrelay, of Node.js and of its time zone data")
    .addOption(outputOption())
    .action(async ({ output }) => {
      const { rendered } = await import("../io/structured-output.ts");
      const { node, tz: timeZones = "" } = process.versions;
      const versions = { hubrelay: packageJson.version, node, timeZones };
      print(
        rendered(
          versions,
          output,
          (all) => safe`hubrelay ${all.hubrelay}\nNode.js ${all.node}\ntime zone data ${all.timeZones}\n`,
        ),
      );
    });
}
