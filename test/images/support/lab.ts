import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import type { CommandResult } from "../../../infra/command.ts";
import { type AccessLog, openAccessLog, type RegistryRequest } from "./access-log.ts";
import { forHosts, makeCertificate } from "./certificate.ts";
import { buildImage, type Image, type ImageFile } from "./image.ts";
import { openNetwork } from "./network.ts";
import { makeNode, type Node } from "./node.ts";
import { endpointOf, startRegistry } from "./registry.ts";
import { openThinLink, thinAddresses } from "./thin-link.ts";

/** A program of the tests' own that goes on. */
export type Program = AsyncDisposable &
  Readonly<{ /** What it has printed after its first line. */ lines(): readonly string[] }>;

/** How a registry protects its connections: a certificate that nodes trust, one that they do not, or nothing. */
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

/** The registry that the failing one and those behind thin links answer from. */
const plainName = "plain.lan";

/** What a pull did, as the puller and the registries tell. */
export type Pull = Readonly<{
  /** The repository that the image came from; undefined when there is no image. */
  from: string | undefined;
  /** The repositories that were asked for the manifest and answered, in order, with or without success. */
  asked: readonly string[];
  /** The registries that answered any request at all. */
  contacted: readonly string[];
  /** The puller's complaints. */
  said: string;
}>;

/** Registries on a network of their own, images in them, and nodes that pull. */
export type Lab = Readonly<{
  /** Builds an image that no other one of the lab equals, or one of these layers. */
  image(layers?: readonly (readonly ImageFile[])[]): Promise<Image>;
  /** PEM file with the authority behind the registries that nodes trust. */
  trusted: string;
  /** Runs a program of this folder in the lab's network, until it is disposed of; answers when it has printed a line. */
  program(name: string, words: readonly string[]): Promise<Program>;
  /** Puts a registry that fails before `plain.lan`, as `faulty.lan`, until it is disposed of. */
  faulty(fault: Fault, count: number): Promise<AsyncDisposable>;
  /**
   * Puts a registry behind a link of so many Mbit/s, until it is disposed of: it serves what `plain.lan` holds, as
   * one of the names of `thinAddresses`.
   */
  thin(name: string, megabits: number): Promise<AsyncDisposable>;
  /** A folder that goes when the lab goes. */
  folder(): Promise<string>;
  /** Pushes an image to `registry/repository:tag`. */
  push(image: Image, location: string): Promise<void>;
  /** A node with these files. */
  node(files: readonly NodeFile[]): Promise<Node>;
  /** Pulls with podman, by the tag or digest that `reference` ends in. */
  pull(node: Node, reference: string): Promise<Pull>;
  /** What the registries answered while something happened. */
  during: AccessLog["during"];
  /** As `pull`, by another program that ends with 0 when it accepts the image. */
  observe(reference: string, pulling: () => Promise<CommandResult>): Promise<Pull>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

/** `registry/repository` of a request for the manifest with this tag or digest. */
function askedRepository({ registry, path }: RegistryRequest, version: string): string | undefined {
  const [, repository, asked] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(path) ?? [];
  return asked === version ? `${registry}/${repository}` : undefined;
}

/** The tag or digest that a reference ends in. */
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
    said: result.stderr,
  };
}

/** One address a host, so that its ports are its own. */
function addressesOf(names: readonly string[]): Readonly<Record<string, string>> {
  const hosts = new Set(names.map((name) => endpointOf(name, true).host));
  return Object.fromEntries([...hosts].map((host, index) => [host, `127.0.1.${index + 1}`]));
}

/** Starts every registry; each test file has a lab of its own. Its nodes run the podman of a folder, or the machine's. */
export async function openLab({ podman }: Readonly<{ podman?: string | undefined }> = {}): Promise<Lab> {
  await using stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), "hubrelay-images-"));
  stack.defer(() => rm(root, { recursive: true, force: true }));

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
      "--dest-tls-verify=false",
      `oci:${layout}:image`,
      `docker://${location}`,
    ];
    const { code, stderr } = await pusher.run("skopeo", words);
    if (code !== 0) throw new Error(`skopeo could not push to ${location}: ${stderr}`);
  };

  const program: Lab["program"] = async (name, words) => {
    const file = fileURLToPath(new URL(name, import.meta.url));
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
      // No two folders have one name, so no two images have one content.
      return buildImage(own, layers ?? [[{ path: "text", content: own }]]);
    },
    program,
    faulty: (fault, count) => {
      const [own = "", upstream = ""] = [addresses[faultyName], addresses[plainName]];
      return program("faulty-registry.ts", [own, upstream, fault, String(count)]);
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
    folder,
    push,
    node,
    pull: (puller, reference) => observe(log, reference, () => puller.podmanPull(reference)),
    observe: (reference, pulling) => observe(log, reference, pulling),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
