import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runFleet } from "../../cli/simulation/run-fleet.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { noBrowser, openPage } from "./support/browser.ts";
import { exampleHub, putControlPlane, putFleet, records, serve } from "./support/example-console.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const it = (title: string, run: () => Promise<void>) =>
  test.skipIf(noBrowser !== undefined)(title, because(noBrowser), run);
const longMs = 100_000;

it("When a cluster has failed, a person should find why, and the command that retries it", async () => {
  const hub = await exampleHub();
  putFleet(hub);
  const { url } = await serve(hub);
  const page = await openPage(url);
  await page.getByRole("link", { name: "1 × PullFailed" }).click();
  await page.getByRole("link", { name: "bergen-2: failed" }).click();
  const panel = page.getByRole("complementary", { name: "bergen-2" });
  await panel.getByText("authentication required").waitFor();
  await panel.getByText("12 of 190").waitFor();
  await panel.getByText("hubrelay precache retry default/upgrade --cluster bergen-2").waitFor();
  // The link shows the same to somebody else.
  const colleague = await openPage(page.url());
  await colleague.getByRole("complementary", { name: "bergen-2" }).waitFor();
  expect(await colleague.locator(".hr-cell").count()).toBe(1);
});

it("When a fleet changes, an open page should follow without being loaded again", async () => {
  const hub = await exampleHub();
  putFleet(hub);
  const { url } = await serve(hub);
  const page = await openPage(`${url}/precaching`);
  await page.evaluate("window.same = true");
  await page.getByRole("link", { name: "oslo-1: pulling" }).focus();
  putFleet(hub, { ...records, "oslo-1": { state: "Succeeded" } });
  await page.getByRole("link", { name: "oslo-1: done" }).waitFor();
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("oslo-1: done");
  putFleet(hub, { ...records, "oslo-3": {} });
  await page.getByRole("link", { name: "oslo-3: pulling" }).waitFor();
  expect(await page.evaluate("window.same")).toBe(true);
});

it("When an image is typed, the places that a node tries should appear, and the address should keep the question", async () => {
  const { url } = await serve(await exampleHub());
  const page = await openPage(`${url}/mirrors`);
  const image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
  const box = page.getByLabel("Where does this image come from?");
  await box.pressSequentially(image, { delay: 5 });
  await page.getByText("tried").first().waitFor();
  await page.getByText("release-images@sha256").first().waitFor();
  expect(await box.inputValue()).toBe(image);
  expect(await page.evaluate("document.activeElement.id")).toBe("field-image");
  await expect.poll(() => new URL(page.url()).searchParams.get("image")).toBe(image);
});

it("When a hosted cluster differs, a person should find what and who writes it, until it no longer does", async () => {
  const hub = await exampleHub();
  putControlPlane(hub, { imageContentSources: [] });
  const { url } = await serve(hub);
  const page = await openPage(url);
  await page.getByRole("link", { name: "clusters/billing ControlPlane" }).click();
  const panel = page.getByRole("complementary", { name: "clusters/billing" });
  await panel.getByText("spec.imageContentSources differs in the HostedControlPlane.").waitFor();
  await panel.getByText("HyperShift writes for it: its finalizer is present").waitFor();
  await panel.getByText("hubrelay hosted clusters/billing").waitFor();
  await page.evaluate("window.same = true");
  putControlPlane(hub);
  await panel.getByText("ControlPlane: in agreement").waitFor();
  await page.getByRole("link", { name: "1 compared in part" }).click();
  await page.getByText("1 of 1 hosted cluster").waitFor();
  expect(await page.evaluate("window.same")).toBe(true);
  await expect.poll(() => new URL(page.url()).search).toBe("?state=compared+in+part");
});

it("When a window opens, clusters that waited for it should continue on the open page", async () => {
  const folder = await temporaryFolder();
  const args = ["cli/main.ts", "dev", "--from", "examples/fleet", "--hub", join(folder, "hub")];
  const dev = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => dev.once("exit", done));
  onTestFinished(async () => {
    dev.kill();
    await ended;
  });
  const served = Promise.withResolvers<string>();
  createInterface(dev.stdout).on("line", (line) => {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url) served.resolve(url);
  });
  const page = await openPage(`${await served.promise}/precaching`);
  const waiting = page.getByRole("link", { name: "tromso-1: outside its window" });
  await waiting.waitFor({ timeout: longMs });
  await page.evaluate("window.same = true");
  await page.getByRole("link", { name: /^tromso-1: (?:pulling|done)$/ }).waitFor({ timeout: longMs });
  expect(await page.evaluate("window.same")).toBe(true);
});

it("When 500 simulated clusters pre-cache, the page should show each of them until all have ended", async () => {
  const opened = Promise.withResolvers<Awaited<ReturnType<typeof openPage>>>();
  const fleet = runFleet({
    clusters: 500,
    seed: 1,
    skipsDeadlines: true,
    async onHub(hub) {
      const { url } = await serve(hub);
      opened.resolve(openPage(`${url}/precaching`));
    },
  });
  const page = await opened.promise;
  await page.getByText("default/simulated").waitFor({ timeout: longMs });
  expect(await page.locator(".hr-cell").count()).toBe(500);
  await page.locator(".hr-cell.hr-done").nth(250).waitFor({ timeout: longMs });
  await fleet;
  await page.getByText("500/500 ended; all have ended").waitFor({ timeout: longMs });
});
