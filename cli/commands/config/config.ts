import { repositoryOf } from "../../io/repository/repository.ts";
import { hasPassed } from "../../io/repository/settings.ts";
import { lines, print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";

/**
 * Runs `hubrelay config`: prints the repository's settings in force, with `hasEnded` for each acceptance. `file` is null
 * without a file of settings. Returns the exit code.
 */
export async function config({
  output,
  now = new Date(),
}: Readonly<{ output: StructuredFormat; now?: Date }>): Promise<number> {
  const { settings, file = null } = await repositoryOf();
  const accept = settings.accept.map((one) => ({ ...one, hasEnded: hasPassed(one.until, now) }));
  // People read it: a text of the file must not change what a terminal shows.
  print(lines(structured({ file, ...settings, accept }, output).toString()));
  return 0;
}
