import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import * as z from "zod";
import { type Claim, type Row, steadyMemory } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";
import { type ConsoleFleet, startConsoleFleet } from "../support/console-fleet.ts";

const clusters = 3_500;
const program = "/usr/bin/chromium";
const wireBytes = 300_000;
const taskMs = 100;
const mainThread = "CrRendererMain";
const perSecond = 200;

async function firstVisit(browser: Browser, address: string) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  try {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    let bytes = 0;
    network.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(address);
    const cells = await page.locator(".hr-cell").count();
    if (cells !== clusters) throw new Error(`${address} shows ${cells} of ${clusters} clusters`);
    const completeMs = Number(
      await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"),
    );
    return { completeMs, bytes };
  } finally {
    await context.close();
  }
}

async function firstPageRows(browser: Browser, fleet: ConsoleFleet, rounds: number): Promise<readonly Row[]> {
  await fleet.freeze();
  let bytes = 0;
  const page = series(async () => {
    // Without a change, the console could send the page that it rendered for an earlier visit.
    await fleet.change(perSecond, 0.05);
    const visit = await firstVisit(browser, fleet.page);
    bytes = visit.bytes;
    return visit.completeMs;
  });
  const still = series(async () => (await firstVisit(browser, fleet.still)).completeMs);
  await inTurns(1, page, still);
  for (const { values } of [page, still]) values.length = 0;
  await inTurns(rounds, page, still);
  const [consoleMs, staticMs] = [median(page.values), median(still.values)];
  const count = clusters.toLocaleString("en");
  return [
    {
      subject: `the first page of ${count} clusters, until it is complete in Chromium`,
      against: "the same bytes from a static server",
      ratio: consoleMs / staticMs,
      measures: "wall time",
      goal: { atMost: 1.5 },
      numbers: { consoleMs, staticMs },
    },
    {
      subject: "what it takes over the wire",
      against: `${wireBytes / 1_000} kB`,
      ratio: bytes / wireBytes,
      measures: "bytes",
      goal: { atMost: 1 },
      numbers: { bytes },
    },
  ];
}

const traceEvent = z.object({
  name: z.string(),
  pid: z.number(),
  tid: z.number(),
  /** Processor time of the thread, in microseconds. */
  tdur: z.number().optional(),
  args: z.object({ name: z.unknown() }).partial().optional(),
});
const trace = z.object({ traceEvents: z.array(traceEvent) });

/** Returns the durations of the main thread's tasks during `work`, in milliseconds of processor time. */
async function tasksWhile(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await work();
  const { traceEvents } = trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const threadOf = ({ pid, tid }: z.infer<typeof traceEvent>) => `${pid} ${tid}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === mainThread);
  const mainThreads = new Set(named.map(threadOf));
  return traceEvents.flatMap((event) =>
    event.name === "RunTask" && event.tdur !== undefined && mainThreads.has(threadOf(event))
      ? [event.tdur / 1_000]
      : [],
  );
}

async function changeRows(browser: Browser, fleet: ConsoleFleet, seconds: number): Promise<readonly Row[]> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  await page.goto(fleet.page);
  await page.evaluate(`
    window.changed = 0;
    new MutationObserver((records) => { window.changed += records.length; })
      .observe(document.getElementById("main"), { childList: true, subtree: true });`);
  const memory: number[] = [];
  const tasks = await tasksWhile(browser, page, async () => {
    for (const parts of [3, 2]) {
      await fleet.change(perSecond, (seconds * parts) / 5);
      memory.push(await fleet.memoryMiB());
    }
  });
  const changed = Number(await page.evaluate("window.changed"));
  await page.close();
  if (tasks.length === 0 || changed < seconds)
    throw new Error(`the page has shown ${changed} changes in ${seconds} s, in ${tasks.length} tasks`);
  const maxMs = tasks.reduce((most, one) => Math.max(most, one), 0);
  const rate = `${perSecond} changes a second for ${seconds} s`;
  return [
    {
      subject: `${rate}: processor time of the page's longest task`,
      against: `${taskMs} ms`,
      ratio: maxMs / taskMs,
      measures: "processor time",
      goal: { atMost: 1 },
      numbers: { longestMs: maxMs, tasks: tasks.length, changed },
    },
    steadyMemory(`${rate}: the server's`, memory[0], memory[1]),
  ];
}

export const consoleClaim: Claim = {
  name: "console",
  goal:
    `the first page of ${clusters.toLocaleString("en")} clusters is complete within 1.5 times of the same bytes from a ` +
    `static server, and is ${wireBytes / 1_000} kB or less; ${perSecond} changes a second cause no task over ${taskMs} ms, ` +
    "and the server does not grow",
  async run({ smoke }) {
    if (!existsSync(program)) {
      const skipped = `${program} does not exist; .ci/install-console.sh installs it`;
      return [
        { subject: `the first page of ${clusters.toLocaleString("en")} clusters`, against: "", skipped },
      ];
    }
    await using cleanup = new AsyncDisposableStack();
    const fleet = cleanup.adopt(await startConsoleFleet(clusters), (one) => one.stop());
    // Chromium's sandbox does not work for root in a container.
    const launched = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
    const browser = cleanup.adopt(launched, (one) => one.close());
    const first = await firstPageRows(browser, fleet, smoke ? 2 : 11);
    return [...first, ...(await changeRows(browser, fleet, smoke ? 5 : 60))];
  },
};
