/* Prints the milliseconds that the first rendering in this process takes: node first-run.ts SOURCES */
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { timeOf } from "../measure.ts";
import { mirrorInput } from "./configuration.ts";
import { largeConfiguration } from "./large-configuration.ts";

const input = mirrorInput(largeConfiguration(Number(process.argv[2])));
console.log(timeOf(() => configureMirrors(input, { compat: "mco" })));
