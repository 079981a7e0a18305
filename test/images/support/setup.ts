import { whyNoPolicyCheck } from "./policy-check.ts";
import { missingForPulls } from "./programs.ts";

/** Once for all tests that pull: a machine that cannot run them says so in one sentence, not in every test. */
export function setup(): void {
  const missing = missingForPulls();
  if (missing) throw new Error(`The tests with real registries cannot run here. ${missing}`);
  if (whyNoPolicyCheck !== "") console.warn(`SIGNATURES ARE NOT CHECKED: ${whyNoPolicyCheck}.`);
}
