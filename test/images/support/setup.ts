import { whyStubOpm } from "./opm.ts";
import { missingForPulls } from "./programs.ts";

/** Once for all tests that pull: a machine that cannot run them says so in one sentence, not in every test. */
export function setup(): void {
  const missing = missingForPulls();
  if (missing) throw new Error(`The tests with real registries cannot run here. ${missing}`);
  if (whyStubOpm !== "") console.warn(`CATALOGS ARE RENDERED BY A STUB IN THE PLACE OF opm: ${whyStubOpm}.`);
}
