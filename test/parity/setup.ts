import { whyNoGo } from "../../bench/peers/go-program.ts";

/** Runs once before all tests against other programs' code: without Go none of them could run. */
export function setup(): void {
  const missing = whyNoGo();
  if (missing) throw new Error(`The tests against other programs' code cannot run here. ${missing}`);
}
