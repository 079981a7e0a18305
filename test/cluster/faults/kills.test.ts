import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { seededRandom } from "../../../cli/simulation/fates.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { anImageConfig, aPool } from "../../support/hub/objects.ts";
import { breakableConnection } from "../../support/kills/breakable-connection.ts";
import { markWith } from "../../support/kills/edits.ts";
import { contentOf } from "../../support/kills/hub-content.ts";
import type { Victim } from "../../support/kills/kept-process.ts";
import { figuresOf, type HubUnderTest, killRun } from "../../support/kills/kill-run.ts";
import { watchMarks } from "../../support/kills/marker-times.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import { compileCache } from "../../support/processes/deployment.ts";
import { startHubrelay } from "../../support/processes/hubrelay-process.ts";
import { aPodOfProcess, type PodOfProcess } from "../../support/processes/pod-of-process.ts";
import { scriptedApi } from "../../support/servers/scripted-api.ts";
import { openWire, type Wire } from "../../support/servers/wire.ts";
import { times } from "../../support/setup/soak.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { processAccounts } from "../support/clusters/service-account.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { revisionOf } from "../support/observe/raw-get.ts";
import { type OlderApi, startOlderApi } from "../support/servers/older-api.ts";

let server: TestHub;
let person: KubernetesHub;
let api: OlderApi;
/** Between the processes and the hub. */
let wire: Wire;
let settings: HubUnderTest["settings"];
/** The first revision with everything that the processes need. */
let first: number;
beforeAll(async () => {
  server = await startHub();
  api = await startOlderApi(server);
  wire = await openWire(api.port);
  settings = await processAccounts(server, wire.port);
  person = kubernetesHub(server.admin.kubeConfig, { id: "urn:test:hub" });
  await createClusterVersion(person);
  for (const object of [anImageConfig(), aPool("master"), aPool("worker")])
    await person.create(asNew(object));
  first = await revisionOf(server);
});
afterAll(async () => {
  person.close();
  await wire[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await server.stop();
});

/** The API server: killed without its etcd and restarted at once. */
function apiServer(): Victim {
  let started = Promise.resolve();
  return {
    name: "API server",
    running: () => started,
    async kill() {
      await server.kill();
      started = server.restart();
    },
  };
}

/**
 * What the processes read after a restart, which is an older state for some requests, while they write to the present one.
 * None reads before and after it: an API server does not go back in time under a client's eyes.
 */
function reads(processes: readonly Victim[]): Victim {
  const random = seededRandom(1);
  return {
    name: "reads",
    running: async () => undefined,
    async kill() {
      const latest = await revisionOf(server);
      await Promise.all(processes.map((one) => one.kill()));
      api.rewind(Math.max(first, latest - 1 - Math.floor(10 * random())));
      // About what the processes read at their start and in some reconciles.
      await api.readOlder(100);
      api.catchUp();
    },
  };
}

/** Removes everything that the function has created, and creates it again from what people wrote. */
async function cleanRun(): Promise<unknown> {
  const made = [...(await person.list(kinds.MachineConfig)), ...(await person.list(kinds.Event))];
  for (const object of made) await person.delete(referenceTo(object));
  await reconcile(mirrorConfig, "cluster", quietPorts(person));
  return contentOf(person);
}

test.for([
  {
    form: "apart",
    faults: "killed, cut off, or read an older state",
    kills: times({ ci: 16, soak: 300 }),
    names: "API server,forwarder,hub connection,queue connection,queue server,reads,worker a,worker b".split(
      ",",
    ),
  },
  {
    form: "in one process",
    faults: "killed or cut off",
    kills: times({ ci: 5, soak: 250 }),
    inOneProcess: true,
    names: ["API server", "hub connection", "run a", "run b"],
  },
])(
  "When processes that run $form and the API server are $faults, $kills times at random, the hub should end with the content of a clean run",
  { timeout: 3_600_000 },
  async ({ form, names, kills, inOneProcess = false }) => {
    // An earlier run has left higher marks.
    const left = [
      ...(await person.list(kinds.MachineConfig)),
      ...(await person.list(kinds.ImageDigestMirrorSet)),
    ];
    for (const object of left) await person.delete(referenceTo(object));
    const { kubeConfigFile } = await server.userAccess("far", { token: server.admin.token }, wire.port);
    const all = inOneProcess ? { ...settings, work: `kubeconfig:${kubeConfigFile}` } : settings;
    const victims = (processes: readonly Victim[]) => [
      apiServer(),
      breakableConnection("hub connection", wire),
      // Who reads an older Lease cannot take it: restarts.test.ts has one process that reads an older hub.
      ...(inOneProcess ? [] : [reads(processes.filter(({ name }) => name !== "queue server"))]),
    ];
    const hub = { hub: person, settings: all, victims, cleanRun };
    const run = await killRun(hub, {
      name: `processes that are killed with an API server, ${form}`,
      kills,
      inOneProcess,
    });
    console.log(figuresOf(run));
    expect(run.missing).toBeUndefined();
    expect(run.result).toEqual(run.clean);
    expect(run.late).toEqual([]);
    expect(Object.keys(run.kills).sort()).toEqual(names);
    expect(run.waits).toHaveLength(run.edits);
  },
);

describe("two processes with everything in them", () => {
  /** A server for outcome events, which can be away. */
  async function aSink() {
    const sink = { status: 202 };
    const accepted: string[] = [];
    const { url } = await scriptedApi(({ body }, response) => {
      if (sink.status === 202) accepted.push(body);
      response.writeHead(sink.status).end();
    });
    return { sink, accepted, url };
  }

  /** Edits are numbered over all tests of the file: an older mark is on the hub already. */
  let number = 100_000;
  let pods = 0;

  async function drill() {
    const { sink, accepted, url } = await aSink();
    const marks = watchMarks(person);
    onTestFinished(() => marks.stop());
    const far = await server.userAccess("far", { token: server.admin.token }, wire.port);
    const start = async ({ kubeConfigFile } = server.admin, inPod?: PodOfProcess) => {
      const args = ["run", "--function", "mirror-config", "--lease", "hubrelay/hubrelay-forwarder"];
      const pod = inPod ?? (await aPodOfProcess(person, `run-${++pods}`));
      const started = startHubrelay(args, {
        PATH: process.env.PATH ?? "",
        ...compileCache,
        ...pod.environment,
        HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}`,
        HUBRELAY_HUB_ID: "urn:test:hub",
        HUBRELAY_OUTCOME_SINKS: JSON.stringify({ tickets: { url } }),
        HUBRELAY_LOG_LEVEL: "debug",
      });
      onTestFinished(async () => {
        await started.end("SIGKILL");
        await pod.remove().catch(() => undefined);
      });
      return { ...started, pod };
    };
    /** Makes an edit, and returns the milliseconds until what follows from it is written. */
    const edit = async (): Promise<number> => {
      marks.expect(++number);
      await markWith(person, number);
      await marks.seen(number);
      return marks.waits.at(-1) ?? Number.NaN;
    };
    const standby = async () => {
      const started = await start();
      // Between two holders the Lease is free, and who starts then leads at once.
      await started.logged(({ event }) => event === "standing-by" || event === "leading");
      return started;
    };
    const holder = await start(far);
    await holder.logged(({ event }) => event === "synced");
    const published = (mark: number) => accepted.some((body) => body.includes(`n${mark}.example.com`));
    return { sink, published, edit, start, standby, holder, late: marks.late, latest: () => number };
  }

  test("When the holder's pod is killed while the server for outcomes is away, the standby should go on at once, and no outcome be lost", async () => {
    const { sink, published, edit, standby, holder, latest } = await drill();
    await standby();
    sink.status = 503;
    await edit();
    const owed = latest();
    const killed = holder.end("SIGKILL").then(holder.pod.remove);
    sink.status = 202;
    // The Lease outlives the test: only the missing Pod lets the standby lead.
    console.log(`after a kill of the holder: ${Math.round(await edit())} ms from an edit to its write`);
    await killed;
    await expect.poll(() => published(owed)).toBe(true);
  });

  test("When the Deployment is updated, an edit at the same moment should be written by the next holder, before the Lease ends", async () => {
    const { edit, standby, holder } = await drill();
    const waits: number[] = [];
    const others: number[] = [];
    let old = holder;
    for (let update = 0; update < 3; update++) {
      const next = await standby();
      others.push(await edit());
      const ending = old.end("SIGTERM");
      waits.push(await edit());
      expect(await ending).toBe(0);
      old = next;
    }
    console.log(
      `with an update: ${waits.map(Math.round)}, without: ${others.map(Math.round)} ms from an edit to its write`,
    );
  });

  test.for([
    {
      is: "paused",
      begin: (pid = Number.NaN) => process.kill(pid, "SIGSTOP"),
      end: (pid = Number.NaN) => process.kill(pid, "SIGCONT"),
    },
    { is: "cut off from the hub", begin: () => wire.cut(), end: () => wire.restore() },
  ])(
    "When the holder is $is, and its Pod is removed, it should stand by then, and have written nothing older",
    async ({ begin, end }) => {
      const { edit, standby, holder, late } = await drill();
      const other = await standby();
      // It may be anywhere in what follows from this.
      await markWith(person, ++number);
      begin(holder.pid);
      await holder.pod.remove();
      await other.logged(({ event }) => event === "synced");
      await edit();
      end(holder.pid);
      await holder.logged((line) => line.event === "standing-by" && line.holder !== "unknown");
      await edit();
      expect(late).toEqual([]);
      for (const one of [holder, other]) expect(await one.end("SIGTERM")).toBe(0);
    },
  );
});
