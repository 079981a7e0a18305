import { join } from "node:path";
import type { Plugin } from "esbuild";
import { paths } from "../paths.ts";

/**
 * Leaves out what a function does not use of the Kubernetes client, most of all a thousand API types, and of the YAML
 * library. The packages do not declare that their modules have no side effects; the only one that has some adds a global
 * of Node 20 to Node 18.
 */
const withoutUnusedModules: Plugin = {
  name: "without-unused-modules",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) =>
      /\/(?:@kubernetes\/client-node|yaml\/browser)\/dist(?:\/|$)/.test(resolveDir)
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    );
  },
};

/**
 * Takes the YAML library's ES modules, which it offers to browsers only: to Node it gives CommonJS, seventy closures that
 * all run at its import. The two differ in how they print warnings and in `!!binary`, for which hubrelay has its own tag.
 */
const yamlAsModules: Plugin = {
  name: "yaml-as-modules",
  setup({ initialOptions, onResolve }) {
    if (initialOptions.external?.includes("yaml")) return;
    onResolve({ filter: /^yaml$/ }, () => ({
      path: join(paths.root, "node_modules/yaml/browser/dist/index.js"),
      sideEffects: false,
    }));
  },
};

/** What hubrelay uses of undici: `request`, connections and their proxies, redirects and retries. */
const usedOfUndici =
  /^\.\/lib\/(?:api|global|core\/.*|dispatcher\/(?:dispatcher|client|pool|agent|proxy-agent)|interceptor\/(?:redirect|retry))$/;

/**
 * Leaves out the parts of undici that only its entry loads, and hubrelay never uses: fetch, WebSocket, mocks, caches. The
 * package is CommonJS, from which a bundler cannot remove anything, and all of it runs at its import. What another part
 * of undici loads stays.
 */
const withoutUnusedUndici: Plugin = {
  name: "without-unused-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/lib\// }, ({ path, importer }) =>
      importer.endsWith("/undici/index.js") && !usedOfUndici.test(path)
        ? { path, namespace: "unused-undici" }
        : undefined,
    );
    // The entry creates one CacheStorage.
    onLoad({ filter: /^/, namespace: "unused-undici" }, () => ({
      contents: "module.exports = { CacheStorage: class {} };",
    }));
  },
};

/**
 * Modules of which an import costs more than what is used of them. For a module of Node's, `import` reads every property:
 * three of the HTTP module's load Node's own copy of undici, a quarter of a small function's cold start. The packages run
 * long at their import, and are for login programs, proxies and files that most batches do without.
 */
const seldomUsed =
  /^(?:(?:node:)?(?:child_process|http)|@iarna\/toml|hpagent|jsonpath-plus|socks|socks-proxy-agent)$/;

/** Loads a module when one of its exports is first used, and not at its import. */
const modulesWhenUsed: Plugin = {
  name: "modules-when-used",
  setup({ onResolve, onLoad }) {
    const namespace = "module-when-used";
    onResolve({ filter: seldomUsed }, ({ path, kind, resolveDir }) =>
      kind === "import-statement" ? { path, namespace, pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /^/, namespace }, async ({ path, pluginData: resolveDir }) => {
      const isExport = (name: string) => !["__esModule", "default", "module.exports"].includes(name);
      const names = Object.keys(await import(path)).filter(isExport);
      return {
        resolveDir,
        contents: `const load = () => require(${JSON.stringify(path)});
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });`,
      };
    });
  },
};

/** Loads undici's HTTP/2, and Node's with it, when a server speaks it: never the API of a hub. */
const http2WhenUsed: Plugin = {
  name: "http2-when-used",
  setup({ onResolve, onLoad }) {
    const namespace = "http2-when-used";
    onResolve({ filter: /^\.\/client-h2\.js$/ }, ({ path, importer, resolveDir }) =>
      importer.endsWith("/undici/lib/dispatcher/client.js")
        ? { path, namespace, pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /^/, namespace }, ({ path, pluginData: resolveDir }) => ({
      resolveDir,
      contents: `module.exports = (client, socket) => require(${JSON.stringify(path)})(client, socket);`,
    }));
  },
};

/** What a bundle does without, or loads later, so that its process starts sooner. */
export const leaner: Plugin[] = [
  withoutUnusedModules,
  yamlAsModules,
  withoutUnusedUndici,
  modulesWhenUsed,
  http2WhenUsed,
];
