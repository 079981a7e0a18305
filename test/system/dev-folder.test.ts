import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandFile } from "../support/processes/command-file.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const mirrors = `${examples}/operator-mirrors.yaml`;
const canMount = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
const why = canMount ? undefined : "a process may not mount file systems in a namespace of its own";

let folder = "";
let running: ChildProcess[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await Promise.all(running.map((child) => child.kill("SIGKILL") && once(child, "exit")));
  running = [];
});

/** Runs a program with `hubrelay dev` on the folder as its last arguments. */
function startDev(before: readonly string[], ...more: readonly string[]) {
  const [program = process.execPath, ...args] = [
    ...before,
    process.execPath,
    commandFile,
    "dev",
    "--hub",
    folder,
    ...more,
  ];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  return child;
}

/** The examples without `mistake.yaml`, which makes the mirrors of all pools refused. */
const validExamples = `${examples}/[!m]*`;

/** Mounts a file system over the folder, in a namespace of the process only. */
const onMount = (mount: string) => ["unshare", "-rm", "sh", "-c", `${mount} && exec "$@"`, "sh"];
const onDisk = (size: string) =>
  onMount(`mount -t tmpfs -o size=${size} none ${folder} && cp ${validExamples} ${folder}`);

async function ended(child: ReturnType<typeof startDev>) {
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { errors, exitCode };
}

/** Waits for a line of the output. */
async function line(child: ReturnType<typeof startDev>, pattern: RegExp): Promise<string> {
  for await (const one of createInterface({ input: child.stdout })) if (pattern.test(one)) return one;
  throw new Error(`the output ended before ${pattern}`);
}

describe("a command that writes files to a full disk", () => {
  test.skipIf(why).for([{ words: ["render", "-o", "files", "-f", mirrors], exit: 2 }])(
    "When it is $words, it should name the file and what to do, exit with $exit and leave no part of a file",
    because(why),
    async ({ words, exit }) => {
      const [program = "", ...mounted] = onMount(
        `mount -t tmpfs -o size=4k none ${folder} && head -c 4k /dev/zero >${folder}/fill; "$@"; echo "exit $?" >&2; find ${folder} -type f; exec true`,
      );
      const command = [process.execPath, commandFile, ...words, "--dir", folder];
      const child = spawn(program, [...mounted, ...command], { stdio: ["ignore", "pipe", "pipe"] });
      running.push(child);
      const [files, { errors }] = await Promise.all([text(child.stdout), ended(child)]);
      expect(errors).toMatch(/\S+\.\S+ cannot be written: the disk is full\. Fix: free space on it, or /);
      expect(errors).toMatch(new RegExp(`^exit ${exit}$`, "m"));
      expect(errors).not.toContain("ENOSPC");
      expect(files.trim()).toBe(join(folder, "fill"));
    },
  );
});

describe("hubrelay dev on a folder that cannot be used", () => {
  test("When another dev uses the folder, it should say so in one line and exit with 2, until that is killed", async () => {
    await cp(examples, folder, { recursive: true });
    const other = startDev([]);
    await line(other, /^Watching /);
    const runOnce = () => hubrelay(["dev", "--hub", folder, "--once"]);
    expect(await runOnce()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^hubrelay: --hub \S+ is in use by process \d+\. Fix: .*\n$/),
    });
    other.kill("SIGKILL");
    await once(other, "exit");
    expect(await runOnce()).toMatchObject({ exitCode: 0, stderr: "" });
  });

  /** Runs a command in the namespaces of the process, which has a file system of its own there. */
  const inside = (pid: string, command: string) =>
    execFileSync("nsenter", ["-t", pid, "-U", "--preserve-credentials", "-m", "sh", "-c", command]);
  const whileRunning: readonly Readonly<{
    says: string;
    start: (pid: string) => unknown;
    end: (pid: string) => unknown;
  }>[] = [
    {
      says: "disk is full",
      start: (pid) => inside(pid, `head -c 16M /dev/zero > ${folder}/.fill 2>&- || true`),
      end: (pid) => inside(pid, `rm ${folder}/.fill`),
    },
    {
      says: "the file system is read-only",
      start: (pid) =>
        inside(pid, `mount --bind ${folder} ${folder} && mount -o remount,ro,bind ${folder} ${folder}`),
      end: (pid) => inside(pid, `umount -l ${folder}`),
    },
    {
      says: "too many open files; raise the limit",
      start: (pid) => execFileSync("prlimit", ["--pid", pid, "--nofile=8:1024"]),
      end: (pid) => execFileSync("prlimit", ["--pid", pid, "--nofile=1024:1024"]),
    },
  ];

  test.skipIf(why)(
    "When the disk is full, read-only or no file can be opened while it runs, it should say so, go on when that has passed, and end on SIGTERM",
    because(why),
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
      const pid = String(child.pid);
      // Open before the folder becomes read-only.
      const file = await open(join("/proc", pid, "root", folder, "team-mirrors.yaml"), "r+");
      const manifests = await file.readFile("utf8");
      let host = "registry.";
      const change = () => {
        host = host === "registry." ? "regxstry." : "registry.";
        return file.write(manifests.replaceAll("registry.", host), 0);
      };
      for (const { says, start, end } of whileRunning) {
        start(pid);
        await change();
        await until(new RegExp(`^\\S+Z (?:failed|retry) .*${says}`));
        end(pid);
        await change();
        await change();
        await until(/^\S+Z written +update MachineConfig\//);
      }
      await file.close();
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  );
});
