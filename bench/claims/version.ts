import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";
import { commandTime } from "../support/command-time.ts";

const launcher = join(import.meta.dirname, "../../cli/hubrelay.js");
const against = "node -e 0";
const subject = "hubrelay --version, process start to end";

export const version: Claim = {
  name: "version",
  goal: "hubrelay --version takes at most 3 times the processor time of a Node process that does nothing",
  async run({ smoke }) {
    if (!existsSync(launcher)) return [{ subject, against, skipped: "cli/hubrelay.js does not exist" }];
    const ours = series(() => processTime([launcher, "--version"]));
    const bare = series(() => processTime(["-e", "0"]));
    await processTime([launcher, "--version"]); // fills Node's compile cache
    await inTurns(smoke ? 5 : 25, ours, bare);
    const numbers = { subjectMs: median(ours.values), floorMs: median(bare.values) };
    const ratio = numbers.subjectMs / numbers.floorMs;
    return [{ subject, against, ratio, measures: "processor time", goal: { atMost: 3 }, numbers }];
  },
};

const processTime = (args: readonly string[]) => commandTime(args, ({ status }) => status === 0);
