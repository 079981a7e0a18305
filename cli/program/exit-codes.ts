/** The exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** The input has errors; each was reported, and the valid rest was processed where that is safe. */
  issues: 1,
  /** Wrong usage, or the environment lacks something. */
  usage: 2,
} as const;
