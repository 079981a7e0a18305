import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { aClusterVersion, anImageConfig, aPool } from "../support/hub/objects.ts";
import { directoryUnderTest } from "../support/kills/directory-under-test.ts";
import { markWith } from "../support/kills/edits.ts";
import { contentOf } from "../support/kills/hub-content.ts";
import { watchMarks } from "../support/kills/marker-times.ts";
import { aDeployment } from "../support/processes/deployment.ts";
import { aPodOfProcess } from "../support/processes/pod-of-process.ts";
import type { LoggingProcess, LogLine } from "../support/processes/process-lines.ts";
import { countRun, drawn } from "../support/setup/soak.ts";

const queue = "mirror-configs";
const isEvent =
  (event: string) =>
  (line: LogLine): boolean =>
    line.event === event;

/** Returns the lines that a process writes from now on. */
function linesFromNow({ lines, logged }: LoggingProcess) {
  const from = lines.length;
  return {
    all: () => lines.slice(from),
    logged: (event: string) => logged((line) => isEvent(event)(line) && lines.indexOf(line) >= from),
  };
}

function signal({ pid }: LoggingProcess, name: NodeJS.Signals): void {
  if (pid === undefined) throw new Error("the process did not start");
  process.kill(pid, name);
}

/** Pauses a process, but not while it has the folder locked: no API server lets one client do that to the others. */
async function pause(one: LoggingProcess, hub: Hub): Promise<void> {
  for (;;) {
    signal(one, "SIGSTOP");
    try {
      const image = await hub.get(kinds.Image, "cluster");
      if (image) await hub.update(image);
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.isRetryable)) throw error;
      signal(one, "SIGCONT");
    }
  }
}

/** A hub that processes work on, with queues whose messages return after a second. */
async function aHubWithProcesses(stack: AsyncDisposableStack) {
  const objects = [anImageConfig(), aClusterVersion(), aPool("worker"), aPool("master")];
  const { hub, settings, cleanRun } = await directoryUnderTest(stack, objects);
  const { messaging, start } = await aDeployment([], { queues: [queue], visibilityTimeoutSeconds: 1 });
  const marks = watchMarks(hub);
  stack.defer(() => marks.stop());
  let number = 0;
  const edit = async (): Promise<number> => {
    marks.expect(++number);
    await markWith(hub, number);
    return number;
  };
  return {
    hub,
    edit,
    messaging,
    start: (command: "forward" | "work", args: readonly string[] = [], environment = {}) =>
      start([command, "--function", "mirror-config", ...args], {
        ...environment,
        HUBRELAY_HUB: settings[command],
      }),
    /** Resolves when an edit is in the result. */
    seen: marks.seen,
    /** Fails unless the hub has what an undisturbed run derives, and each result was written over an older one. */
    async isAsUndisturbed() {
      expect(marks.late).toEqual([]);
      // The last edit was seen in the result of one pool.
      const clean = await cleanRun();
      await expect.poll(() => contentOf(hub)).toEqual(clean);
      expect(marks.late).toEqual([]);
    },
  };
}

/** Whether the Lease ends because the leader's Pod is removed, or is released for the test. */
const leaders = [
  { isRemoved: true },
  ...drawn("paused leaders", { ci: 1, soak: 199 }, fc.record({ isRemoved: fc.boolean() })),
];

test("When the leader of two forwarders is paused until the other leads, it should stand by once it runs again, and no change be lost", async () => {
  await using stack = new AsyncDisposableStack();
  const { hub, edit, start, seen, isAsUndisturbed } = await aHubWithProcesses(stack);
  start("work");
  let pods = 0;
  const startInPod = async (until: string) => {
    const { environment, remove } = await aPodOfProcess(hub, `forwarder-${++pods}`);
    const process = start("forward", ["--lease", "hubrelay/hubrelay-forwarder"], environment);
    await process.logged(isEvent(until));
    return { process, remove };
  };
  let first = await startInPod("synced");
  let second = await startInPod("standing-by");
  for (const { isRemoved } of leaders) {
    countRun("a leader paused until another leads");
    const [leader, standby] = [first.process, second.process];
    const [ofLeader, ofStandby] = [linesFromNow(leader), linesFromNow(standby)];
    await pause(leader, hub);
    const during = await edit();
    const held = await hub.get(kinds.Lease, "hubrelay-forwarder", "hubrelay");
    if (isRemoved) await first.remove();
    else if (held) await hub.update({ ...held, spec: { ...fieldsOf(held.spec), holderIdentity: "" } });
    await ofStandby.logged("leading");
    await seen(during);
    signal(leader, "SIGCONT");
    await ofLeader.logged("standing-by");
    const afterwards = linesFromNow(leader);
    await seen(await edit());
    expect(afterwards.all().filter(isEvent("noticed"))).toEqual([]);
    if (isRemoved) await leader.end("SIGTERM");
    [first, second] = [second, isRemoved ? await startInPod("standing-by") : first];
  }
  await isAsUndisturbed();
}, 3_600_000);

const workers = drawn(
  "paused workers",
  { ci: 3, soak: 200 },
  fc.record({ isFirst: fc.boolean(), afterMs: fc.nat(150) }),
);

test("When a worker is paused beyond the visibility of its messages, the other should handle them, and no older result be written", async () => {
  await using stack = new AsyncDisposableStack();
  const { hub, edit, messaging, start, seen, isAsUndisturbed } = await aHubWithProcesses(stack);
  start("forward");
  const both = [start("work"), start("work")];
  await seen(await edit());
  for (const { isFirst, afterMs } of workers) {
    countRun("a worker paused beyond the visibility of its messages");
    const [one] = isFirst ? both : both.toReversed();
    if (!one) throw new Error("there are two workers");
    await edit();
    // The moment within its batch.
    await sleep(afterMs);
    await pause(one, hub);
    await seen(await edit());
    // Every message that the paused one had is visible again, and handled.
    await expect.poll(() => messaging.queue(queue).depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    signal(one, "SIGCONT");
    await seen(await edit());
  }
  await isAsUndisturbed();
}, 3_600_000);
