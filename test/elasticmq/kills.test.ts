import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { aClusterVersion, anImageConfig, aPool } from "../support/hub/objects.ts";
import { directoryUnderTest } from "../support/kills/directory-under-test.ts";
import { figuresOf, killRun, type QueueServer } from "../support/kills/kill-run.ts";
import { times } from "../support/setup/soak.ts";

const kills = times({ ci: 20, soak: 200 });

const elasticmq: QueueServer = {
  file: fileURLToPath(new URL("./support/queue-server-child.ts", import.meta.url)),
  outcomes: (endpoint) => ({ HUBRELAY_OUTCOME_QUEUE_URL: `${endpoint}/000000000000/outcomes` }),
};

test(`When processes and an ElasticMQ in memory are killed ${kills} times at random, resync should repair what was lost`, async () => {
  await using stack = new AsyncDisposableStack();
  const objects = [anImageConfig(), aClusterVersion(), aPool("worker"), aPool("master")];
  const hub = await directoryUnderTest(stack, objects);
  const run = await killRun(hub, {
    name: "processes that are killed with an ElasticMQ",
    kills,
    queueServer: elasticmq,
    resyncMs: 15_000,
  });
  console.log(figuresOf(run));
  expect(run.missing).toBeUndefined();
  expect(run.result).toEqual(run.clean);
  const killed = ["forwarder", "queue connection", "queue server", "worker a", "worker b"];
  expect(Object.keys(run.kills).sort()).toEqual(killed);
  expect(run.waits).toHaveLength(run.edits);
}, 3_600_000);
