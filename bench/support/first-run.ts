/* Prints the milliseconds of the first rendering in this process. Usage: `node first-run.ts SOURCES` */
import { elapsedOf } from "../measure.ts";
import { asRead, registriesConfBytes } from "./configuration.ts";
import { largeConfiguration } from "./large-configuration.ts";

const input = asRead(largeConfiguration(Number(process.argv[2])));
console.log(await elapsedOf(() => registriesConfBytes(input)));
