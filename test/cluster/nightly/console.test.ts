import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { type RunningConsole, startConsole } from "../../../console/server/start-console.ts";
import { noBrowser, openPage } from "../../console/support/browser.ts";
import { aFleet, type FleetRecords } from "../../support/console/console-snapshots.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";
import { because } from "../../support/setup/skipped-tests.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { hubAccounts } from "../support/clusters/process-accounts.ts";

const longMs = 60_000;
const failed = {
  state: "UnrecoverableError",
  reason: "PullFailed",
  message: "registry.example.com/release: unauthorized",
  attempt: 2,
} as const;
/** The definition of a PreCachingReport requires a message. */
const pulling = { message: "" };
const done = { state: "Succeeded", reason: "Completed", message: "" } as const;
const suspended = { state: "Starting", reason: "Suspended", suspend: true, message: "" } as const;
const never = { schedule: "0 0 29 2 *", duration: "1m" };
const always = { schedule: "* * * * *", duration: "1h" };

const aWindow = (spec: typeof never) => ({
  ...windowObject(spec),
  metadata: { namespace: "default", name: "night" },
});

/** Returns an object as a new version of one that was read. */
function versionOf(object: KubernetesObject, read: KubernetesObject): KubernetesObject {
  const { resourceVersion = "" } = read.metadata;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

/** The pages of a real API server, under the account of the console. */
describe.skipIf(noBrowser !== undefined)("the console of a real API server", () => {
  let server: TestHub;
  let person: KubernetesHub;
  let hub: KubernetesHub;
  let running: RunningConsole;
  const it = (title: string, run: () => Promise<void>) => test(title, because(noBrowser), run);

  /** Creates an object, or replaces what is there, with its status. */
  async function put(object: KubernetesObject): Promise<void> {
    const { apiVersion, kind: name, metadata } = object;
    const kind = Object.values(kinds).find((one) => one.apiVersion === apiVersion && one.kind === name);
    if (!kind) throw new Error(`${name} is not in the table of kinds`);
    const present = await person.get(kind, metadata.name, metadata.namespace);
    const written = present ? await person.update(versionOf(object, present)) : await person.create(object);
    if (object.status) await person.updateStatus(versionOf(object, written));
  }
  async function putFleet(records: FleetRecords): Promise<void> {
    for (const object of aFleet(records)) await put(object);
  }

  beforeAll(async () => {
    server = await startHub();
    const accounts = await hubAccounts(server);
    person = kubernetesHub(server.admin.kubeConfig);
    hub = kubernetesHub((await accounts("hubrelay-console")).kubeConfig, { requestTimeoutMs: 3_000 });
    for (const name of ["oslo-1", "oslo-2", "bergen-1"])
      await put(asNew(aManagedCluster(name, { labels: { site: name.slice(0, -2) } })));
    await putFleet({ "oslo-1": suspended, "oslo-2": pulling, "bergen-1": failed });
    const rule = { source: "quay.io/base", mirrors: ["mirror.example.com/base"] };
    await person.create(asNew(aDigestMirrorSet("base", [rule])));
    running = await startConsole({ hub, address: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await running?.close();
    hub?.close();
    person?.close();
    await server?.stop();
  });

  it("When a cluster has failed, a person should find why", async () => {
    const page = await openPage(running.url);
    await page.getByRole("link", { name: "1 × PullFailed" }).click({ timeout: longMs });
    await page.getByRole("link", { name: "bergen-1: failed" }).click();
    const panel = page.getByRole("complementary", { name: "bergen-1" });
    await panel.getByText("unauthorized").waitFor();
    await panel.getByText("hubrelay precache retry default/upgrade --cluster bergen-1").waitFor();
  });

  it("When a window opens and a suspended cluster resumes, open pages should follow without being loaded again", async () => {
    await put(aWindow(never));
    const windows = await openPage(`${running.url}/windows`);
    await windows.getByText("default/night").first().waitFor({ timeout: longMs });
    const fleet = await openPage(`${running.url}/precaching`);
    await fleet.getByRole("link", { name: "oslo-1: outside its window" }).waitFor({ timeout: longMs });
    for (const page of [windows, fleet]) await page.evaluate("window.same = true");
    await put(aWindow(always));
    await putFleet({ "oslo-1": pulling, "oslo-2": pulling, "bergen-1": failed });
    await fleet.getByRole("link", { name: "oslo-1: pulling" }).waitFor({ timeout: longMs });
    await windows.getByText("✓ open").first().waitFor({ timeout: longMs });
    for (const page of [windows, fleet]) expect(await page.evaluate("window.same")).toBe(true);
  });

  it("When an image is asked for, the page should show the mirror that a person has just added", async () => {
    const page = await openPage(`${running.url}/mirrors`);
    const image = `quay.io/acme/app@sha256:${"a".repeat(64)}`;
    await page.getByLabel("Where does this image come from?").fill(image);
    await page.getByText("tried").first().waitFor({ timeout: longMs });
    await person.create(
      asNew(aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }])),
    );
    await page.getByText("mirror.example.com/acme/app@sha256").first().waitFor({ timeout: longMs });
  });

  it("When the hub is lost, the page should say so, and follow again when it is back", async () => {
    const page = await openPage(`${running.url}/precaching`);
    await page.getByRole("link", { name: "oslo-2: pulling" }).waitFor({ timeout: longMs });
    await server.kill();
    await page.getByText("The hub cannot be reached").waitFor({ timeout: longMs });
    await page.getByRole("link", { name: "oslo-2: pulling" }).waitFor();
    await server.restart();
    await page.getByText("The hub cannot be reached").waitFor({ state: "detached", timeout: longMs });
    await putFleet({
      "oslo-1": pulling,
      "oslo-2": done,
      "bergen-1": failed,
    });
    await page.getByRole("link", { name: "oslo-2: done" }).waitFor({ timeout: longMs });
  });
});
