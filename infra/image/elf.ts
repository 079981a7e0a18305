import { succeeded } from "../command.ts";

/** Returns the path of a program's loader, then the names of the libraries that it needs. Reads any architecture. */
export async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await succeeded("readelf", ["--wide", "--dynamic", "--program-headers", program], {
    cwd: "/",
    env: { ...process.env, LC_ALL: "C" },
  });
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)];
  const loader = [...stdout.matchAll(/program interpreter: (\S+)\]/g)];
  return [...loader, ...needed].flatMap(([, name]) => name ?? []);
}
