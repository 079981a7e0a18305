import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { CommandResult } from "../../../../infra/run-program.ts";
import { makeNode, type Node } from "../node/node.ts";
import { buildImage, type Image, type ImageFile } from "../registries/image.ts";
import {
  type AccessLog,
  endpointOf,
  forHosts,
  makeCertificate,
  openAccessLog,
  type RegistryRequest,
  removeBlob,
  startRegistry,
} from "../registries/registry.ts";
import { openNetwork, ownAddress } from "./network.ts";
import { openThinLink, thinAddresses } from "./thin-link.ts";

/** A program of the tests that runs until it is disposed of. */
export type Program = AsyncDisposable &
  Readonly<{ /** What it has printed after its first line. */ lines(): readonly string[] }>;

/** How a registry protects its connections: a certificate that nodes trust, one that they do not trust, or none. */
export type Protection = "trusted" | "untrusted" | "plain";

/** The registries of every test, by the name that references use. */
export const registries: Readonly<Record<string, Protection>> = {
  "a.io": "trusted",
  "a.io:5000": "trusted",
  "x.a.io": "trusted",
  "y.x.a.io": "trusted",
  "registry-1.docker.io": "trusted",
  "m1.lan": "trusted",
  "m2.lan:5000": "trusted",
  "m3.lan": "trusted",
  "plain.lan": "plain",
  "plain.lan:5000": "plain",
  "untrusted.lan": "untrusted",
};

/** What a failing registry does to requests for layers: see `faulty-registry.ts`. */
export type Fault = "fail" | "stall" | "refuse";

const faultyName = "faulty.lan";

/** The upstream of the failing registry and of those behind thin links. */
const plainName = "plain.lan";

/** The result of a pull, from the logs of the puller and the registries. */
export type Pull = Readonly<{
  /** The repository that the image came from; undefined when there is no image. */
  from: string | undefined;
  /** The repositories that answered a request for the manifest, in order, with or without success. */
  asked: readonly string[];
  /** The registries that answered any request at all. */
  contacted: readonly string[];
  /** The puller's error output. */
  stderr: string;
}>;

/** Registries on a network of their own, images in them, and nodes that pull. */
export type Lab = Readonly<{
  /** Builds an image that differs from all others of the lab, or one of these layers. */
  image(layers?: readonly (readonly ImageFile[])[]): Promise<Image>;
  /** PEM file with the authority of the registries that nodes trust. */
  trusted: string;
  /**
   * Runs a program of `test/images/support` in the lab's network until it is disposed of; resolves when it has printed
   * a line.
   */
  program(name: string, words: readonly string[]): Promise<Program>;
  /** Puts a failing registry before `plain.lan`, as `faulty.lan`, until it is disposed of. */
  faulty(fault: Fault, count: number): Promise<AsyncDisposable>;
  /**
   * Puts a registry behind a link of this many Mbit/s until it is disposed of: it serves the content of `plain.lan`
   * under one of the names of `thinAddresses`.
   */
  thin(name: string, megabits: number): Promise<AsyncDisposable>;
  /** The command prefix to run a program in the registries' network. */
  enter: readonly string[];
  /** A folder that is removed with the lab. */
  folder(): Promise<string>;
  /** Pushes an image to `registry/repository:tag`. */
  push(image: Image, location: string): Promise<void>;
  /** Removes a blob from one repository, `registry/repository`. */
  removeBlob(location: string, digest: string): Promise<void>;
  /** Creates a node with these files. */
  node(files: readonly NodeFile[]): Promise<Node>;
  /** Pulls with podman, by the tag or digest at the end of `reference`. */
  pull(node: Node, reference: string): Promise<Pull>;
  /** Returns what the registries answered while `action` ran. */
  during: AccessLog["during"];
  /** As `pull`, with another program that exits with 0 when it accepts the image. */
  observe(reference: string, pulling: () => Promise<CommandResult>): Promise<Pull>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

/** Returns `registry/repository` of a request for the manifest with this tag or digest. */
function askedRepository({ registry, path }: RegistryRequest, version: string): string | undefined {
  const [, repository, asked] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(path) ?? [];
  return asked === version ? `${registry}/${repository}` : undefined;
}

/** Returns the tag or digest at the end of a reference. */
function versionOf(reference: string): string {
  return /(?:@|:)(sha256:[0-9a-f]+|[^:/@]+)$/.exec(reference)?.[1] ?? "latest";
}

async function observe(
  log: AccessLog,
  reference: string,
  pulling: () => Promise<CommandResult>,
): Promise<Pull> {
  const { result, requests } = await log.during(pulling);
  const version = versionOf(reference);
  const asked = requests.flatMap((request) => {
    const repository = askedRepository(request, version);
    return repository === undefined ? [] : [{ repository, status: request.status }];
  });
  return {
    from: result.code === 0 ? asked.findLast(({ status }) => status === 200)?.repository : undefined,
    asked: asked.map(({ repository }) => repository),
    contacted: [...new Set(requests.map(({ registry }) => registry))],
    stderr: result.stderr,
  };
}

/** One address a host, so that its ports are its own. */
function addressesOf(names: readonly string[]): Readonly<Record<string, string>> {
  const hosts = new Set(names.map((name) => endpointOf(name, true).host));
  return Object.fromEntries([...hosts].map((host, index) => [host, ownAddress(index + 1)]));
}

/** Starts every registry; each test file has its own lab. Its nodes run the podman of a folder, or the machine's. */
export async function openLab({ podman }: Readonly<{ podman?: string | undefined }> = {}): Promise<Lab> {
  await using stack = new AsyncDisposableStack();
  const { path: root } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-images-")));

  const addresses = addressesOf([...Object.keys(registries), faultyName]);
  const network = stack.use(await openNetwork(root, { ...addresses, ...thinAddresses }));
  const log = stack.use(await openAccessLog(join(root, "registries.log")));
  const hosts = Object.keys(addresses);
  const certificates = {
    trusted: await makeCertificate(root, "trusted", [forHosts(hosts)]),
    untrusted: await makeCertificate(root, "untrusted", [forHosts(hosts)]),
    plain: undefined,
  };
  const starting = Object.entries(registries).map(([name, protection]) => {
    const certificate = certificates[protection];
    const address = addresses[endpointOf(name, true).host] ?? "";
    return startRegistry(root, network, log, { name, address, ...(certificate ? { certificate } : {}) });
  });
  for (const registry of await Promise.all(starting)) stack.use(registry);

  let made = 0;
  const folder = () => mkdtemp(join(root, `${++made}-`));
  const node = async (files: readonly NodeFile[]) =>
    makeNode({ folder: await folder(), network, trusted: certificates.trusted.certificate, podman }, files);
  const pusher = await node([]);
  const push: Lab["push"] = async ({ layout }, location) => {
    const words = [
      "copy",
      "--quiet",
      // The whole list of an image for several platforms.
      "--all",
      "--dest-tls-verify=false",
      `oci:${layout}:image`,
      `docker://${location}`,
    ];
    const { code, stderr } = await pusher.run("skopeo", words);
    if (code !== 0) throw new Error(`skopeo could not push to ${location}: ${stderr}`);
  };

  const program: Lab["program"] = async (name, words) => {
    const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
    const [first = "", ...enter] = [...network.enter, process.execPath, file, ...words];
    const server = spawn(first, enter, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(server, "close");
    let printed = "";
    server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    const started = await Promise.race([
      once(server.stdout, "data").then(() => true),
      closed.then(() => false),
    ]);
    if (!started) throw new Error(`${name} ended with ${server.exitCode} before it printed a line`);
    return {
      lines: () => printed.trim().split("\n").slice(1),
      [Symbol.asyncDispose]: async () => {
        server.kill();
        await closed;
      },
    };
  };

  const opened = stack.move();
  return {
    image: async (layers) => {
      const own = await folder();
      // Folder names are unique, and so is the content of each image.
      return buildImage(own, layers ?? [[{ path: "text", content: own }]]);
    },
    program,
    faulty: (fault, count) => {
      const [own = "", upstream = ""] = [addresses[faultyName], addresses[plainName]];
      return program("registries/faulty-registry.ts", [own, upstream, fault, String(count)]);
    },
    thin: async (name, megabits) => {
      await using behind = new AsyncDisposableStack();
      const link = behind.use(await openThinLink(network, name, megabits));
      const { address } = link;
      behind.use(await startRegistry(root, link, log, { name, address, servesAlso: plainName }));
      const both = behind.move();
      return { [Symbol.asyncDispose]: () => both.disposeAsync() };
    },
    trusted: certificates.trusted.certificate,
    during: log.during,
    enter: network.enter,
    folder,
    push,
    removeBlob: (location, digest) => removeBlob(root, location, digest),
    node,
    pull: (puller, reference) => observe(log, reference, () => puller.podmanPull(reference)),
    observe: (reference, pulling) => observe(log, reference, pulling),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
