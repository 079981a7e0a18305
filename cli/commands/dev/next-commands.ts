/** The commands to run first on your own hub, after a fleet on this machine. */
export const nextCommands: readonly string[] = [
  "hubrelay doctor",
  "hubrelay precache plan --sizes --by TIME",
  "hubrelay precache status --watch",
];
