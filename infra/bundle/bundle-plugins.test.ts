import { once } from "node:events";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { certificate, key } from "../../test/support/servers/server-certificate.ts";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { moduleOptions } from "./bundle.ts";

/** Bundles a program as a function is bundled, runs it, and returns its output. */
async function output(contents: string): Promise<string> {
  const cwd = await temporaryFolder();
  const outfile = join(cwd, "program.mjs");
  await build({
    ...moduleOptions,
    splitting: false,
    stdin: { contents, resolveDir: paths.root, loader: "ts" },
    outfile,
  });
  const { stdout } = await succeeded(process.execPath, [outfile], { cwd });
  return stdout.trim();
}

test("When a server speaks HTTP/2, a bundled program should speak it too", async () => {
  const server = createSecureServer({ key, cert: certificate }, ({ httpVersion }, response) =>
    response.end(`version ${httpVersion}`),
  );
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const spoken = await output(`
    import { Agent, request } from "undici";
    const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
    const { body } = await request("https://127.0.0.1:${port}/", { dispatcher });
    console.log(await body.text());
    await dispatcher.close();`);
  expect(spoken).toBe("version 2.0");
});

test("When a registry redirects or is busy, a bundled program should follow and ask again", async () => {
  let isBusy = true;
  const server = createServer(({ url }, response) => {
    if (url === "/from") response.writeHead(307, { location: "/to" }).end();
    else response.writeHead(isBusy ? 503 : 200).end("there");
    if (url === "/to") isBusy = false;
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const read = await output(`
    import { Agent, interceptors, request } from "undici";
    const retry = interceptors.retry({ minTimeout: 1, statusCodes: [503] });
    const dispatcher = new Agent().compose(retry, interceptors.redirect({ maxRedirections: 1 }));
    const { body } = await request("http://127.0.0.1:${port}/from", { dispatcher });
    console.log(await body.text());
    await dispatcher.close();`);
  expect(read).toBe("there");
});

test.for(["http://127.0.0.1:3128", "socks5://127.0.0.1:1080"])(
  "When a kubeconfig has the proxy %s, a bundled program should connect through it",
  async (proxy) => {
    const cluster = { server: "https://hub.example.com:6443", "proxy-url": proxy };
    const kubeconfig = {
      clusters: [{ name: "hub", cluster }],
      users: [{ name: "user", user: { token: "token" } }],
      contexts: [{ name: "hub", context: { cluster: "hub", user: "user" } }],
      "current-context": "hub",
    };
    const used = await output(`
      import { KubeConfig } from "@kubernetes/client-node";
      const config = new KubeConfig();
      config.loadFromString(${JSON.stringify(JSON.stringify(kubeconfig))});
      const options = {};
      await config.applyToHTTPSOptions(options);
      const { hostname, host, port } = options.agent.proxy;
      console.log([hostname ?? host, port].join(":"));`);
    expect(used).toBe(new URL(proxy).host);
  },
);
