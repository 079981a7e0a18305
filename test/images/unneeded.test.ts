import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { succeeded } from "../../infra/run-program.ts";
import { aHubThatRuns, aStoredRelease } from "../support/ready/stored-releases.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type ScriptedImage, scriptedImage, scriptedIndex } from "../support/servers/scripted-registry.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

/* What `hubrelay unneeded` lists is deleted in docker-registry, whose garbage collection then frees what was said. */

async function aRegistry() {
  const folder = await temporaryFolder();
  const host = `127.0.0.1:${await freePort()}`;
  const storage = { filesystem: { rootdirectory: join(folder, "storage") }, delete: { enabled: true } };
  const file = join(folder, "config.yml");
  await writeFile(
    file,
    JSON.stringify({ version: "0.1", log: { level: "error" }, storage, http: { addr: host } }),
  );
  const server = spawn("docker-registry", ["serve", file], { stdio: "ignore" });
  onTestFinished(async () => {
    server.kill();
    await once(server, "close");
  });
  await expect
    .poll(() =>
      fetch(`http://${host}/v2/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  return { folder, host, file };
}

async function request(
  url: string,
  method: string,
  body?: string | Buffer,
  type = "application/octet-stream",
) {
  const content = typeof body === "string" ? Buffer.from(body) : body;
  const response = await fetch(url, {
    method,
    headers: { "content-type": type },
    ...(content ? { body: new Uint8Array(content) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
  return response;
}

async function push(host: string, name: string, tag: string, { blobs, manifest, mediaType }: ScriptedImage) {
  const origin = `http://${host}`;
  for (const [digest, content] of blobs) {
    const begun = await request(`${origin}/v2/${name}/blobs/uploads/`, "POST");
    const upload = new URL(begun.headers.get("location") ?? "", origin);
    upload.searchParams.set("digest", digest);
    await request(upload.href, "PUT", content);
  }
  await request(`${origin}/v2/${name}/manifests/${tag}`, "PUT", manifest, mediaType);
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(join(folder, "storage/docker/registry/v2/blobs"), {
    recursive: true,
    withFileTypes: true,
  });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

/** A layer whose archive does not get smaller. */
const layer = (name: string) => ({ [name]: randomBytes(60_000).toString("base64") });

test("When what is listed is deleted and garbage is collected, the freed bytes should be those that were said", async () => {
  const { folder, host, file } = await aRegistry();
  const base = layer("base");
  const both = await scriptedImage({ layers: [base] });
  const gone = await scriptedImage({ layers: [base, layer("gone")] });
  const platforms = await Promise.all(
    ["amd64", "arm64"].map(async (architecture) => ({
      architecture,
      image: await scriptedImage({ layers: [base, layer(architecture)], architecture }),
    })),
  );
  const list = scriptedIndex(platforms);
  const [old, current] = [
    await aStoredRelease("4.19.1", [both, gone, list]),
    await aStoredRelease("4.20.4", [both]),
  ];
  for (const { image } of platforms) await push(host, "ocp/openshift/release", image.digest, image);
  for (const [tag, image] of Object.entries({
    "4.20.4-x86_64-c0": both,
    "4.19.1-x86_64-c1": gone,
    "4.19.1-x86_64-c2": list,
  }))
    await push(host, "ocp/openshift/release", tag, image);
  await push(host, "ocp/openshift/release-images", "4.19.1-x86_64", old);
  await push(host, "ocp/openshift/release-images", "4.20.4-x86_64", current);
  const objects = aHubThatRuns(host, "4.20.4", `${host}/ocp/openshift/release-images@${current.digest}`);
  const stdin = objects.map(writeManifest).join("---\n");
  const { stdout, stderr } = await hubrelay(["unneeded", `${host}/ocp`, "-f", "-", "-o", "json"], { stdin });
  const { images, bytes } = JSON.parse(stdout || JSON.stringify(stderr));
  expect(images).toHaveLength(5);
  const before = await bytesIn(folder);
  for (const { repository, digest } of images)
    await request(`http://${host}/v2/${repository.slice(host.length + 1)}/manifests/${digest}`, "DELETE");
  await succeeded("docker-registry", ["garbage-collect", file], { cwd: folder });
  const freed = before - (await bytesIn(folder));
  expect(freed / bytes).toBeGreaterThan(0.95);
  expect(freed / bytes).toBeLessThan(1.05);
});
