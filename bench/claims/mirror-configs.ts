import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { Claim, Goal, Row } from "../claim.ts";
import { inTurns, median, medianOver, series, timeOf } from "../measure.ts";
import { goProgram, whyNoGo } from "../peers/go-program.ts";
import { type Configuration, mirrorInput } from "../support/configuration.ts";
import { largeConfiguration } from "../support/large-configuration.ts";

const run = promisify(execFile);
const against = "Go libraries of machine-config-operator";
const number = new Intl.NumberFormat("en-US");

const sizes: readonly Readonly<{ sources: number; goal?: Goal }>[] = [
  { sources: 100 },
  { sources: 1_000, goal: { atLeast: 1 } },
  { sources: 10_000, goal: { atLeast: 5 } },
];

export const mirrorConfigs: Claim = {
  name: "mirror-configs",
  goal:
    "objects to registries.conf, bytes equal, in process: at least 5 times as fast as the Go peer with 10,000 " +
    "sources of 3 mirrors, not slower with 1,000, and at most 12 times as long with 10,000 as with 1,000",
  async run({ smoke }) {
    await using folder = await temporaryFolder();
    const rounds = smoke ? 2 : 5;
    const rows: Row[] = [];
    const ourMs = new Map<number, number>();
    const peerMs = new Map<number, number>();
    for (const { sources, goal } of smoke ? sizes.slice(0, 2) : sizes) {
      const subject = `${number.format(sources)} sources × 3 mirrors`;
      const firstSubject = `${subject}, first run of a process`;
      const configuration = largeConfiguration(sources);
      const input = mirrorInput(configuration);
      const text = render(configuration);
      const ours = series(() =>
        medianOver(() => timeOf(() => configureMirrors(input, { compat: "mco" })), 3, 300),
      );
      await inTurns(smoke ? 1 : 3, ours); // warm-up
      ours.values.length = 0;

      const whyNot = whyNoGo();
      if (whyNot) {
        await inTurns(rounds, ours);
        ourMs.set(sources, median(ours.values));
        rows.push({ subject, against, skipped: whyNot }, { subject: firstSubject, against, skipped: whyNot });
        continue;
      }
      const file = join(folder.path, `${sources}.json`);
      await writeFile(file, JSON.stringify(configuration));
      const peerFirst: number[] = [];
      const peer = series(async () => {
        const { first, settled, sha256 } = await runPeer(file, smoke ? 3 : 7);
        if (sha256 !== createHash("sha256").update(text).digest("hex")) {
          throw new Error(`${subject}: the text differs from the peer's`);
        }
        peerFirst.push(first);
        return settled;
      });
      const ourFirst = series(() => firstRun(sources));
      await inTurns(rounds, ours, peer, ourFirst);
      const warm = { subjectMs: median(ours.values), peerMs: median(peer.values) };
      const cold = { subjectMs: median(ourFirst.values), peerMs: median(peerFirst) };
      ourMs.set(sources, warm.subjectMs);
      peerMs.set(sources, warm.peerMs);
      rows.push(
        { subject, against, ratio: warm.peerMs / warm.subjectMs, ...(goal ? { goal } : {}), numbers: warm },
        { subject: firstSubject, against, ratio: cold.peerMs / cold.subjectMs, numbers: cold },
      );
    }
    return [...rows, ...growth("ours", ourMs, { atMost: 12 }), ...growth("the Go peer", peerMs)];
  },
};

/** The same work with ten times the sources, told for the largest pair of sizes that was measured. */
function growth(whose: string, msBySources: ReadonlyMap<number, number>, goal?: Goal): readonly Row[] {
  const [large, small] = [...msBySources].reverse();
  if (!large || !small) return [];
  return [
    {
      subject: `growth to ${number.format(large[0])} sources, ${whose}`,
      against: `${number.format(small[0])} sources`,
      ratio: large[1] / small[1],
      ...(goal ? { goal } : {}),
      numbers: { largeMs: large[1], smallMs: small[1] },
    },
  ];
}

function render(configuration: Configuration): string {
  const { registriesConf, issues } = configureMirrors(mirrorInput(configuration), { compat: "mco" });
  if (registriesConf === undefined) throw new Error(`the input was refused: ${JSON.stringify(issues[0])}`);
  return registriesConf;
}

/** Milliseconds of the peer's first run in a fresh process, and the median of the others. */
async function runPeer(
  file: string,
  runs: number,
): Promise<Readonly<{ first: number; settled: number; sha256: string }>> {
  const { stdout } = await run(await goProgram("render"), ["-bench", String(runs), file]);
  const { ns, sha256 }: { ns: number[]; sha256: string } = JSON.parse(stdout);
  const [first, ...others] = ns.map((value) => value / 1e6);
  if (first === undefined) throw new Error("the peer measured nothing");
  return { first, settled: median(others), sha256 };
}

/** Milliseconds of our first run in a fresh process: code that no compiler has optimised yet. */
async function firstRun(sources: number): Promise<number> {
  const program = join(import.meta.dirname, "../support/first-run.ts");
  const { stdout } = await run(process.execPath, [program, String(sources)]);
  return Number(stdout);
}

async function temporaryFolder(): Promise<AsyncDisposable & Readonly<{ path: string }>> {
  const path = await mkdtemp(join(tmpdir(), "hubrelay-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
