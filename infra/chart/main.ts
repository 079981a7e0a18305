import { rm } from "node:fs/promises";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { writeChart } from "./chart-files.ts";

await runScript("chart", async () => {
  scriptCommand("chart").description("Write the Helm chart into dist/helm/hubrelay.").parse();
  await rm(paths.chart, { recursive: true, force: true });
  await writeChart(paths.chart);
});
