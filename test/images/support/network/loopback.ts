import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "../../../../infra/run-program.ts";
import { freePort } from "../../../support/servers/free-port.ts";
import { buildImage, type Image, type ImageFile } from "../registries/image.ts";
import {
  forHosts,
  makeCertificate,
  openAccessLog,
  type Registry,
  type RegistryOptions,
  startRegistry,
} from "../registries/registry.ts";
import { startTokenService } from "../registries/token-service.ts";

/** The user that the registries accept. */
export const user = "robot";
export const password = "p4ssw0rd";
export const identityToken = "1dent1ty-t0ken";
/** The password above, hashed with bcrypt. */
const passwordHash = "$2y$05$hubrelayhubrelayhubreeeuNqAhVYJzGnn38Pvyp7L3satvsoDpm";

/** How a registry lets clients in: https with a password, https with a token, or plain HTTP without a login. */
export type Door = "password" | "token" | "plain";

/** A registry that can be stopped and started again with its content. */
export type LoopbackRegistry = Readonly<{ host: string; start(): Promise<void>; stop(): Promise<void> }>;

/** Registries on the machine's own loopback, for clients that run in the test or as its children. */
export type Loopback = AsyncDisposable &
  Readonly<{
    /** PEM of the authority of every https registry. */
    authorities: string;
    /** A folder that is removed with the registries. */
    folder: string;
    registry(door: Door): Promise<LoopbackRegistry>;
    /** A token that the registry behind the door `token` accepts directly, to pull from these repositories. */
    registryToken(repositories: readonly string[]): string;
    /** Pushes an image of these files only to `host/path:tag`. */
    push(
      location: string,
      files?: readonly ImageFile[],
      labels?: Readonly<Record<string, string>>,
    ): Promise<Image>;
  }>;

/** The machine's own network. */
const here = { enter: [], [Symbol.asyncDispose]: async () => undefined };

export async function openLoopback(): Promise<Loopback> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-registries-")));
  const log = stack.use(await openAccessLog(join(folder, "registries.log")));
  const certificate = await makeCertificate(folder, "registry", [forHosts(["localhost"])]);
  const users = join(folder, "users");
  await writeFile(users, `${user}:${passwordHash}\n`);
  const tokens = stack.use(await startTokenService({ user, password, identityToken }, certificate));
  const authorities = await readFile(certificate.certificate, "utf8");
  const opened = stack.move();

  const doors: Readonly<Record<Door, Pick<RegistryOptions, "certificate" | "users" | "tokens">>> = {
    password: { certificate, users },
    token: { certificate, tokens },
    plain: {},
  };
  const registry: Loopback["registry"] = async (door) => {
    const name = `localhost:${await freePort()}`;
    const open = () => startRegistry(folder, here, log, { name, address: "127.0.0.1", ...doors[door] });
    let running: Registry | undefined = await open();
    const stop = async () => {
      await running?.[Symbol.asyncDispose]();
      running = undefined;
    };
    opened.defer(stop);
    return {
      host: name,
      stop,
      start: async () => {
        running ??= await open();
      },
    };
  };

  let made = 0;
  const push: Loopback["push"] = async (location, files, labels) => {
    const own = join(folder, `image-${++made}`);
    await mkdir(own);
    const image = await buildImage(own, [files ?? [{ path: "text", content: own }]], labels);
    const credentials = ["--dest-creds", `${user}:${password}`, "--dest-tls-verify=false"];
    // The machine may lack a signature policy.
    const copy = ["--insecure-policy", "copy", "--quiet", ...credentials];
    const words = [...copy, `oci:${image.layout}:image`, `docker://${location}`];
    const { code, stderr } = await finished("skopeo", words, { cwd: folder });
    if (code !== 0) throw new Error(`skopeo could not push to ${location}: ${stderr}`);
    return image;
  };
  const registryToken = tokens.tokenToPull;
  return {
    authorities,
    folder,
    registry,
    registryToken,
    push,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
