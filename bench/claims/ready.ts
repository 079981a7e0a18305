import { spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import pMap from "p-map";
import { Agent, request } from "undici";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import type { ImageRoute } from "#shared/domain/ready/locations.ts";
import { checkImages } from "#shared/registry/ready/check-images.ts";
import { succeeded } from "../../infra/run-program.ts";
import { missingForPulls } from "../../test/images/support/network/programs.ts";
import { certificate, key } from "../../test/support/servers/server-certificate.ts";
import type { Claim, Row } from "../claim.ts";
import { elapsedOf, inTurns, median, series } from "../measure.ts";
import { goProgram, whyNoGo } from "../peers/go-program.ts";

const bare = "bare HEAD requests of the same manifests and layers, as many at a time";
const skopeo = "skopeo inspect --raw, one image after the other";
const bundle = [...getCACertificates("bundled"), certificate].join("\n");
/** The number of requests that `hubrelay ready` makes to one registry at the same time. */
const concurrency = 16;

const crane = `crane validate --fast, ${concurrency} images at a time`;
const regctl = `regctl manifest head and blob head, ${concurrency} at a time`;

/** The other programs check only `inspected` images, and their times are scaled up to `images`. */
type Sizes = Readonly<{ images: number; blobs: number; rounds: number; inspected: number }>;
const full: Sizes = { images: 190, blobs: 600, rounds: 7, inspected: 40 };
const small: Sizes = { images: 10, blobs: 30, rounds: 1, inspected: 2 };

const digestOf = (content: Buffer): string => `sha256:${hash("sha256", content)}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

async function startRegistry(folder: string, stack: AsyncDisposableStack): Promise<string> {
  const host = `127.0.0.1:${await freePort()}`;
  const [certificateFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  await Promise.all([writeFile(certificateFile, certificate), writeFile(keyFile, key)]);
  const configuration = {
    version: "0.1",
    log: { level: "error", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, "storage") } },
    http: { addr: host, secret: "one", tls: { certificate: certificateFile, key: keyFile } },
  };
  const file = join(folder, "config.yml");
  await writeFile(file, JSON.stringify(configuration));
  const server = spawn("docker-registry", ["serve", file], { stdio: "ignore" });
  const ended = once(server, "close");
  stack.defer(async () => {
    server.kill();
    await ended;
  });
  return host;
}

async function fill(origin: string, agent: Agent, { images, blobs }: Sizes) {
  const put = async (path: string, body: Buffer, type: string) => {
    const response = await request(`${origin}${path}`, {
      method: "PUT",
      body,
      headers: { "content-type": type },
      dispatcher: agent,
    });
    await response.body.dump();
    if (response.statusCode !== 201) throw new Error(`${path}: ${response.statusCode}`);
  };
  const push = async (content: Buffer) => {
    const digest = digestOf(content);
    const begun = await request(`${origin}/v2/openshift/release/blobs/uploads/`, {
      method: "POST",
      dispatcher: agent,
    });
    await begun.body.dump();
    const upload = new URL(String(begun.headers.location), origin);
    upload.searchParams.set("digest", digest);
    await put(`${upload.pathname}${upload.search}`, content, "application/octet-stream");
    return { digest, size: content.length, mediaType: "application/vnd.oci.image.layer.v1.tar+gzip" };
  };
  // Every image has its own configuration, and three layers, most of which are shared.
  const shared = await pMap(Array(blobs - images).keys(), () => push(randomBytes(1024)), { concurrency });
  const manifests = await pMap(
    Array(images).keys(),
    async (number) => {
      const config = await push(Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", number })));
      const layers = [0, 1, 2].map((step) => shared[(number * 3 + step) % shared.length]);
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const content = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers }));
      await put(`/v2/openshift/release/manifests/${digestOf(content)}`, content, mediaType);
      return { digest: digestOf(content), blobs: [config, ...layers].map((one) => one?.digest ?? "") };
    },
    { concurrency },
  );
  const layers = new Set(manifests.flatMap((manifest) => manifest.blobs));
  return { manifests: manifests.map(({ digest }) => digest), layers: [...layers] };
}

async function countingRequests(action: () => Promise<unknown>): Promise<readonly string[]> {
  const seen: string[] = [];
  const count = (message: unknown) => {
    const { method, path } = fieldsOf(fieldsOf(message).request);
    seen.push(`${method} ${path}`);
  };
  subscribe("undici:request:create", count);
  try {
    await action();
  } finally {
    unsubscribe("undici:request:create", count);
  }
  return seen;
}

async function rowsOf(sizes: Sizes): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-ready-")));
  const host = await startRegistry(folder, stack);
  const origin = `https://${host}`;
  const agent = new Agent({ connections: concurrency, allowH2: false, connect: { ca: certificate } });
  stack.defer(() => agent.close());
  for (let attempt = 0; attempt < 1000; attempt++) {
    const response = await request(`${origin}/v2/`, { dispatcher: agent }).catch(() => undefined);
    await response?.body.dump();
    if (response) break;
  }
  const { manifests, layers } = await fill(origin, agent, sizes);
  const repository = `${host}/openshift/release`;
  const location = { isMirror: true, insecure: false, skipped: undefined, name: 0 };
  const routes = manifests.map((digest): ImageRoute => {
    const reference = `${repository}@${digest}`;
    return { image: reference, locations: [{ ...location, reference }] };
  });

  const check = async () => {
    // A new client for each check, since a used client has filled caches.
    const contents = ociRegistry({ maxAttempts: 2 });
    const { images } = await checkImages(routes, {
      contents,
      access: { authorities: bundle },
      architectures: ["amd64"],
      depth: "blobs",
    });
    contents.close();
    if (images.some(({ status }) => status !== "ready")) throw new Error("an image is not ready");
  };
  const accept = "application/vnd.oci.image.manifest.v1+json";
  const paths = [
    ...manifests.map((digest) => `/v2/openshift/release/manifests/${digest}`),
    ...layers.map((digest) => `/v2/openshift/release/blobs/${digest}`),
  ];
  const heads = async () => {
    const own = new Agent({ connections: concurrency, allowH2: false, connect: { ca: certificate } });
    await pMap(
      paths,
      async (path) => {
        const response = await request(`${origin}${path}`, {
          method: "HEAD",
          dispatcher: own,
          headers: { accept },
          reset: false,
        });
        await response.body.dump();
        if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
      },
      { concurrency },
    );
    await own.close();
  };
  const inspected = manifests.slice(0, sizes.inspected);
  // The environment of a user who trusts the registry's certificate and has no configuration files.
  const env = { ...process.env, HOME: folder, SSL_CERT_FILE: join(folder, "tls.crt") };
  /**
   * Runs the program once for each item of `words`, on a sample of images. Returns the estimated milliseconds for all.
   */
  const timeOf = async (program: string, atOnce: number, words: readonly (readonly string[])[]) => {
    const ms = await elapsedOf(() =>
      pMap(words, (some) => succeeded(program, some, { cwd: folder, env }), { concurrency: atOnce }),
    );
    return (ms / inspected.length) * manifests.length;
  };

  const requests = await countingRequests(check);
  const twice = requests.length - new Set(requests).size;
  if (twice > 0 || requests.length !== paths.length)
    throw new Error(
      `${requests.length} requests for ${paths.length} manifests and layers, ${twice} repeated`,
    );

  const [own, peer] = [series(() => elapsedOf(check)), series(() => elapsedOf(heads))];
  await inTurns(sizes.rounds, own, peer);
  const [readyMs, headsMs] = [median(own.values), median(peer.values)];
  const references = inspected.map((digest) => `${repository}@${digest}`);
  const skopeoMs = await timeOf(
    "skopeo",
    1,
    references.map((reference) => ["inspect", "--raw", "--tls-verify=false", `docker://${reference}`]),
  );
  const subject = `${manifests.length} images with ${layers.length} layers, ${requests.length} requests`;
  const inspectedLayers = layers.slice(0, Math.round((layers.length * inspected.length) / manifests.length));
  const clients = [
    {
      name: "crane",
      against: crane,
      words: references.map((reference) => ["validate", "--fast", "--remote", reference]),
    },
    {
      name: "regctl",
      against: regctl,
      words: [
        ...references.map((reference) => ["manifest", "head", reference]),
        ...inspectedLayers.map((digest) => ["blob", "head", repository, digest]),
      ],
    },
  ] as const;
  const whyNoClients = sizes === small ? "a small run does not build it" : whyNoGo();
  const ofClients: Row[] = [];
  for (const { name, against, words } of clients) {
    const compared = { subject: `${subject}: time`, against };
    if (whyNoClients) {
      ofClients.push({ ...compared, skipped: whyNoClients });
      continue;
    }
    const peerMs = await timeOf(await goProgram(name), concurrency, words);
    const ratio = readyMs / peerMs;
    ofClients.push({ ...compared, ratio, measures: "wall time", numbers: { readyMs, peerMs } });
  }
  return [
    {
      subject: `${subject}: requests a second`,
      against: bare,
      ratio: headsMs / readyMs,
      measures: "wall time",
      goal: { atLeast: 0.5 },
      numbers: { readyMs, headsMs, requestsPerSecond: (requests.length / readyMs) * 1000 },
    },
    {
      subject: `${subject}: time`,
      against: skopeo,
      ratio: readyMs / skopeoMs,
      measures: "wall time",
      numbers: { readyMs, skopeoMs },
    },
    ...ofClients,
  ];
}

export const readyClaim: Claim = {
  name: "ready",
  goal:
    "hubrelay ready checks a release of 190 images and 600 layers in one registry at half the rate of bare HEAD requests or " +
    "better, asks for each manifest and layer once, and is shown beside skopeo, crane and regctl",
  async run({ smoke }) {
    const sizes = smoke ? small : full;
    const why = missingForPulls();
    const subject = `${sizes.images} images`;
    return why
      ? [bare, skopeo, crane, regctl].map((against) => ({ subject, against, skipped: why }))
      : rowsOf(sizes);
  },
};
