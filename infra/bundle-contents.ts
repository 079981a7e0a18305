import type { Metafile } from "esbuild";
import { byCodeUnit } from "#shared/domain/json/order.ts";

/**
 * The packages that every function may carry: each costs every cold start. The embedded queue, the poller, the
 * command line and the test tools are not among them; whoever adds one here has measured it.
 */
const permitted = [
  /^@aws-sdk\//,
  /^@smithy\//,
  /^@aws\//,
  /^@middy\/core$/,
  /^bowser$/,
  /^tslib$/,
  /^yaml$/,
  /^zod$/,
  // The Kubernetes client, loaded only where the hub is a Kubernetes API: its kubeconfig reader, what that needs
  // for credentials and proxies, and the HTTP client.
  /^@kubernetes\/client-node$/,
  /^undici$/,
  /^js-yaml$/,
  /^(?:openid-client|oauth4webapi|rfc4648|jsonpath-plus)$/,
  /^(?:socks|socks-proxy-agent|smart-buffer|ip-address|agent-base|debug|ms|hpagent)$/,
];

/** What only one function needs. */
const permittedFor: Readonly<Record<string, readonly RegExp[]>> = {
  // Reads files out of the layers of images.
  "hosted-clusters": [/^modern-tar$/],
  // The calendar of maintenance windows.
  "maintenance-window": [/^croner$/],
  "precache-cluster": [/^croner$/],
  "precache-plan": [/^croner$/],
  "mirror-config": [/^@iarna\/toml$/, /^croner$/],
};

/** The names of the packages that put bytes into the bundle, sorted. */
export function packagesIn(metafile: Metafile): readonly string[] {
  const names = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const name = packageOf(path);
      if (name && bytesInOutput > 0) names.add(name);
    }
  }
  return [...names].sort(byCodeUnit);
}

/** Throws, naming function and packages, when the bundle holds a package that is not permitted. */
export function refuseForeignPackages(functionName: string, packages: readonly string[]): void {
  const allowed = [...permitted, ...(permittedFor[functionName] ?? [])];
  const foreign = packages.filter((name) => !allowed.some((pattern) => pattern.test(name)));
  if (foreign.length === 0) return;
  throw new Error(
    `functions/${functionName} would carry ${foreign.join(", ")}: import less, or permit it in infra/bundle-contents.ts`,
  );
}

/** `node_modules/@scope/name/dist/x.js` → `@scope/name`; the innermost one when they are nested. */
function packageOf(path: string): string | undefined {
  const [, inside] = path.split(/^(?:.*\/)?node_modules\//);
  return inside?.match(/^(?:@[^/]+\/)?[^/]+/)?.[0];
}
