import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { because } from "../support/setup/skipped-tests.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const canMount = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
const why = canMount ? undefined : "a process may not mount file systems in a namespace of its own";

let folder = "";
let running: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-dev-folder-"));
});
afterEach(async () => {
  await Promise.all(running.map((child) => child.kill("SIGKILL") && once(child, "exit")));
  running = [];
  await rm(folder, { recursive: true });
});

/** Runs a program with `hubrelay dev` on the folder as its last arguments. */
function startDev(before: readonly string[], ...more: readonly string[]) {
  const [program = process.execPath, ...args] = [
    ...before,
    process.execPath,
    main,
    "dev",
    "--hub",
    folder,
    ...more,
  ];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  return child;
}

/** Mounts a file system over the folder, in a namespace of the process only. */
const onMount = (mount: string) => ["unshare", "-rm", "sh", "-c", `${mount} && exec "$@"`, "sh"];
const onDisk = (size: string) =>
  onMount(`mount -t tmpfs -o size=${size} none ${folder} && cp ${examples}/* ${folder}`);

async function ended(child: ReturnType<typeof startDev>) {
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { errors, exitCode };
}

/** Waits for a line of the output. */
async function line(child: ReturnType<typeof startDev>, pattern: RegExp): Promise<string> {
  for await (const one of createInterface({ input: child.stdout })) if (pattern.test(one)) return one;
  throw new Error(`the output ended before ${pattern}`);
}

describe("hubrelay dev on a folder that cannot be used", () => {
  test("When another dev uses the folder, it should say so in one line and exit with 2", async () => {
    await cp(examples, folder, { recursive: true });
    await line(startDev([]), /^Watching /);
    const { errors, exitCode } = await ended(startDev([], "--once"));
    expect(exitCode).toBe(2);
    expect(errors).toMatch(/^hubrelay: --hub .* cannot be used: .* is in use by another process; .*\n$/);
  }, 60_000);

  test.for([28, 36])(
    "When only %i files may be open, it should say so in one line and exit with 2",
    { timeout: 60_000 },
    async (most) => {
      await cp(examples, folder, { recursive: true });
      const { errors, exitCode } = await ended(
        startDev(["sh", "-c", `ulimit -n ${most}; exec "$@"`, "sh"], "--once"),
      );
      expect(exitCode).toBe(2);
      expect(errors).toMatch(/^hubrelay: --hub .* cannot be used: .*too many open files.*\n$/);
    },
  );

  test.skipIf(why).for([
    {
      what: "read-only",
      before: () =>
        onMount(
          `cp ${examples}/* ${folder} && mount --bind ${folder} ${folder} && mount -o remount,ro,bind ${folder}`,
        ),
      says: "the file system is read-only",
    },
    { what: "on a full disk", before: () => onDisk("300k"), says: "the disk is full" },
  ])(
    "When the folder is $what, it should say so in one line and exit with 2",
    { ...because(why), timeout: 60_000 },
    async ({ before, says }) => {
      const { errors, exitCode } = await ended(startDev(before(), "--once"));
      expect(exitCode).toBe(2);
      expect(errors).toMatch(new RegExp(`^hubrelay: --hub .* cannot be used: .*${says}\n$`));
    },
  );

  test.skipIf(why)(
    "When the disk becomes full while it runs, it should say so, and end on SIGTERM",
    { ...because(why), timeout: 60_000 },
    async () => {
      const child = startDev(onDisk("8m"));
      const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const until = async (pattern: RegExp) => {
        for (;;) {
          const { value, done } = await output.next();
          if (done) throw new Error(`the output ended before ${pattern}`);
          if (pattern.test(value)) return value;
        }
      };
      await until(/^Watching /);
      const mounted = join("/proc", String(child.pid), "root", folder);
      await writeFile(join(mounted, ".fill"), Buffer.alloc(16 * 1024 * 1024)).catch(() => undefined);
      const file = join(mounted, "team-mirrors.yaml");
      const manifests = await readFile(file, "utf8");
      await writeFile(file, manifests.replace("registry.", "regxstry."), { flag: "r+" });
      expect(await until(/disk is full/)).toMatch(/^failed +\w+: .*disk is full$/);
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  );
});
