import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Claim, Goal, Row } from "../claim.ts";
import { inTurns, median, series, timePerRun } from "../measure.ts";
import { goProgram, whyNoGo } from "../peers/go-program.ts";
import { asRead, registriesConfBytes } from "../support/configuration.ts";
import { largeConfiguration } from "../support/large-configuration.ts";

const run = promisify(execFile);
const against = "Go libraries of machine-config-operator";
const count = new Intl.NumberFormat("en-US");

/**
 * First runs besides those of the rounds. Only the fastest is compared, since other programs slow some runs. Elapsed
 * time is compared, since processor time is counted in steps as long as a first run.
 */
const firstRounds = 10;

const small = 1_000;
const large = 10_000;
const sizes: readonly Readonly<{ sources: number; goal?: Goal }>[] = [
  { sources: 100 },
  { sources: small, goal: { atLeast: 1 } },
  { sources: large, goal: { atLeast: 5 } },
];

export const mirrorConfigs: Claim = {
  name: "mirror-configs",
  goal:
    "objects to the bytes of registries.conf, equal to the Go peer's, in process: at least 5 times as fast as " +
    "the peer with 10,000 sources of 3 mirrors, not slower with 1,000; and 10,000 take at most 12 times as long " +
    "as 1,000",
  async run({ smoke }) {
    await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-bench-"));
    const rounds = smoke ? 2 : 5;
    const rows: Row[] = [];
    const skipped = whyNoGo();
    for (const { sources, goal } of smoke ? sizes.slice(0, 2) : sizes) {
      const subject = `${count.format(sources)} sources × 3 mirrors`;
      const firstSubject = `${subject}, first run of a process`;
      if (skipped) {
        rows.push({ subject, against, skipped }, { subject: firstSubject, against, skipped });
        continue;
      }
      const configuration = largeConfiguration(sources);
      const file = join(folder.path, `${sources}.json`);
      await writeFile(file, JSON.stringify(configuration));
      const input = asRead(configuration);
      const expected = hash("sha256", registriesConfBytes(input));

      const ours = series(() => timePerRun(() => registriesConfBytes(input)));
      const ourFirst = series(() => firstRun(sources));
      const peerFirst: number[] = [];
      const peer = series(async () => {
        const { first, settled, sha256 } = await runPeer(file, smoke ? 1 : 3);
        if (sha256 !== expected) throw new Error(`${subject}: the text differs from the peer's`);
        peerFirst.push(first);
        return settled;
      });
      await inTurns(2, ours); // warm-up
      ours.values.length = 0;
      await inTurns(rounds, ours, peer, ourFirst);
      await inTurns(smoke ? 0 : firstRounds, ourFirst, peer);
      const settled = { subjectMs: median(ours.values), peerMs: median(peer.values) };
      const first = { subjectMs: Math.min(...ourFirst.values), peerMs: Math.min(...peerFirst) };
      rows.push(
        {
          subject,
          against,
          ratio: settled.peerMs / settled.subjectMs,
          measures: "processor time",
          ...(goal ? { goal } : {}),
          numbers: settled,
        },
        {
          subject: firstSubject,
          against,
          ratio: first.peerMs / first.subjectMs,
          measures: "processor time",
          numbers: first,
        },
      );
    }
    return [...rows, await growth(smoke)];
  },
};

/** Compares the fastest rounds: other programs slow only the large configuration, which exceeds a core's cache. */
async function growth(smoke: boolean): Promise<Row> {
  const [few, many] = [small, large].map((sources) => {
    const input = asRead(largeConfiguration(sources));
    return series(() => timePerRun(() => registriesConfBytes(input)));
  });
  if (!few || !many) throw new Error("two sizes are required");
  await inTurns(smoke ? 1 : 5, few, many); // warm-up
  few.values.length = 0;
  many.values.length = 0;
  await inTurns(smoke ? 3 : 15, few, many);
  const numbers = { largeMs: Math.min(...many.values), smallMs: Math.min(...few.values) };
  return {
    subject: `growth: ${count.format(large)} sources × 3 mirrors`,
    against: `itself with ${count.format(small)}`,
    ratio: numbers.largeMs / numbers.smallMs,
    measures: "processor time",
    goal: { atMost: 12 },
    numbers,
  };
}

/** Times are in milliseconds: `first` is the first run, `settled` the median of later runs. */
async function runPeer(
  file: string,
  batches: number,
): Promise<Readonly<{ first: number; settled: number; sha256: string }>> {
  const { stdout } = await run(await goProgram("render"), ["-bench", String(batches), file]);
  const { firstNs, ns, sha256 }: { firstNs: number; ns: number[]; sha256: string } = JSON.parse(stdout);
  return { first: firstNs / 1e6, settled: median(ns) / 1e6, sha256 };
}

/** Returns the milliseconds of a first run in a fresh process, in which V8 has not optimized anything yet. */
async function firstRun(sources: number): Promise<number> {
  const program = join(import.meta.dirname, "../support/first-run.ts");
  const { stdout } = await run(process.execPath, [program, String(sources)]);
  return Number(stdout);
}
