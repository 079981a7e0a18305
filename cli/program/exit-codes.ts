/** The exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** The input has errors; each was told, and what is valid was still processed where that is safe. */
  issues: 1,
  /** Wrong usage, or the environment lacks something. */
  usage: 2,
} as const;
