import { type Check, note, ok, problem } from "./check.ts";

/** What the server's answer shows only to the second, and the way there. */
const unnoticedMs = 5_000;
/** Beyond it, tokens and certificates may not be valid yet, and waits of 90 seconds are wrong. */
const harmfulMs = 60_000;

/** How far the clock of this machine is from the hub's, of which the answer told at `serverTime`. */
export function clockCheck(serverTime: Date | undefined, now: Date): Check {
  if (!serverTime)
    return note("clock", "The hub does not tell its time.", "Compare the clocks yourself: date -u");
  const aheadMs = now.getTime() - serverTime.getTime();
  const apart = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead of" : "behind"} the hub's`;
  const remedy = "Let both machines follow the same time server (NTP); chronyc tracking tells.";
  if (Math.abs(aheadMs) >= harmfulMs) return problem("clock", `This machine's clock is ${apart}.`, remedy);
  if (Math.abs(aheadMs) >= unnoticedMs) return note("clock", `This machine's clock is ${apart}.`, remedy);
  return ok("clock", "This machine's clock and the hub's agree.");
}
