import { repositoryOf } from "../../io/repository/repository.ts";
import { hasPassed } from "../../io/repository/settings.ts";
import { lines, print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";

/** Runs `hubrelay config`: prints the settings in force in the repository. Returns the exit code. */
export async function config({ output }: Readonly<{ output: StructuredFormat }>): Promise<number> {
  const { settings, file = null } = await repositoryOf();
  const accept = settings.accept.map((one) => ({ ...one, hasEnded: hasPassed(one.until, new Date()) }));
  // `lines` escapes control characters, so that texts of the settings file cannot control the terminal.
  print(lines(structured({ file, ...settings, accept }, output).toString()));
  return 0;
}
