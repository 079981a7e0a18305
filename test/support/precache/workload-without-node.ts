import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { finished } from "../../../infra/run-program.ts";
import { readTermination, type Termination } from "./termination.ts";

const workload = join(import.meta.dirname, "../../../infra/precache-workload");

/** Stands in for the node's programs: pulls nothing, and records how podman and skopeo are called. */
const programs = {
  podman: `#!/bin/sh
printf '%s\\0' podman "$@" '
' >>"$FOLDER/calls"
for image; do :; done
case " $* " in
*" pull "*) printf '%s\\n' "$image" >>"$FOLDER/pulled" ;;
*" exists "*)
  [ -e "$FOLDER/pulled" ] || exit 1
  while read -r one; do [ "$one" != "$image" ] || exit 0; done <"$FOLDER/pulled"
  exit 1
  ;;
*" inspect "*".Labels"*) ;;
*" inspect "*@*)
  name=\${image%@*}
  case \${name##*/} in *:*) name=\${name%:*} ;; esac
  echo "$name@\${image##*@}"
  ;;
*" inspect "*) echo "$image" ;;
*" mount "*) echo "$FOLDER/image" ;;
esac
`,
  skopeo: `#!/bin/sh
printf '%s\\0' skopeo "$@" '
' >>"$FOLDER/calls"
[ -e "$FOLDER/manifest" ] && exec cat "$FOLDER/manifest"
`,
  df: "#!/bin/sh\nprintf '1K-blocks Used\\n1000000000 0\\n'\n",
};

type Given = Readonly<{
  /** The input lists, by key. */
  content: Readonly<Record<string, string>>;
  /** The files of the container's folder, `opm` among them, of every image that is mounted, and `manifest`, that of every image that skopeo inspects. */
  files?: Readonly<Record<string, string>>;
  env?: NodeJS.ProcessEnv;
  /** Shell commands that run before the workload, in its folder, and may change it. */
  before?: string;
  /** The program of the container. */
  program?: "precache.sh" | "check.sh";
}>;

type Ended = Readonly<{
  code: number | null;
  log: string;
  termination: Termination;
  /** Every call of podman and skopeo, as its list of words. */
  calls: readonly (readonly string[])[];
  /** The images pulled, in order. */
  pulled: readonly string[];
}>;

/** Runs a copy of the workload in a process group of its own, with programs that stand in for those of a node. */
export async function runWithoutNode({
  content,
  files = {},
  env,
  before = "",
  program = "precache.sh",
}: Given): Promise<Ended> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "workload-"));
  const path = (name: string) => join(folder.path, name);
  const write = async (name: string, text: string) => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text, { mode: 0o755 });
  };
  const given = [
    ...Object.entries(programs).map(([name, text]) => [`bin/${name}`, text] as const),
    ...Object.entries(content).map(([name, text]) => [`content/${name}`, text] as const),
    ...Object.entries(files),
  ];
  for (const [name, text] of given) await write(name, text);
  const script = `set -e; mkdir -p content storage; cp "$WORKLOAD"/*.sh .; ${before}
exec setsid --wait /bin/bash ./${program}`;
  const { code, stderr } = await finished("bash", ["-c", script], {
    cwd: folder.path,
    env: {
      ...process.env,
      PATH: `${path("bin")}:${process.env.PATH}`,
      FOLDER: folder.path,
      WORKLOAD: workload,
      HOST_FOLDER: "/",
      CONFIG_VOLUME_PATH: path("content"),
      TERMINATION_LOG: path("termination"),
      STORAGE_FOLDER: path("storage"),
      WORK_FOLDER: path("work"),
      PULL_FIRST_PAUSE: "0",
      ...env,
    },
  });
  const read = (name: string) => readFile(path(name), "utf8").catch(() => "");
  return {
    code,
    log: stderr,
    termination: readTermination(await read("termination")),
    calls: (await read("calls"))
      .split("\n\0")
      .filter(Boolean)
      .map((call) => call.split("\0").slice(0, -1)),
    pulled: (await read("pulled")).split("\n").filter(Boolean),
  };
}
