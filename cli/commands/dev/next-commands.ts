import { shellWord } from "#shared/domain/text/human-readable.ts";

/** Returns how a person calls hubrelay here, on the hub in a folder if it is given one: npm runs it off the PATH. */
export function hubrelayHere(folder?: string): string {
  const name = ["start", "npx"].includes(process.env.npm_lifecycle_event ?? "")
    ? "npx --no-install hubrelay"
    : "hubrelay";
  return folder === undefined ? name : `HUBRELAY_HUB=${shellWord(`directory:${folder}`)} ${name}`;
}

/** Returns the commands to run first on your own hub, after a fleet on this machine. */
export const nextCommands = (): readonly string[] =>
  ["doctor", "precache plan --sizes", "precache status --watch"].map((one) => `${hubrelayHere()} ${one}`);
