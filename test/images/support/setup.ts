import { missingForPulls } from "./network/programs.ts";
import { builtOpm, whyStubOpm } from "./node/opm.ts";

/**
 * Runs once before all tests that pull, so that an unsuitable machine is reported in one sentence, not in every test, and
 * no test waits while `opm` is built for the first time.
 */
export async function setup(): Promise<void> {
  const missing = missingForPulls();
  if (missing) throw new Error(`The tests with real registries cannot run here. ${missing}`);
  if (whyStubOpm !== "") console.warn(`CATALOGS ARE RENDERED BY A STUB IN THE PLACE OF opm: ${whyStubOpm}.`);
  await builtOpm();
}
