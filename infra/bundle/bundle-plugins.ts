import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Leaves out what a function does not use of the Kubernetes client, most of all a thousand API types. The package does
 * not declare that its modules have no side effects; the only one that has some adds a global of Node 20 to Node 18.
 */
const withoutUnusedClient: Plugin = {
  name: "without-unused-client",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) =>
      /\/@kubernetes\/client-node\/dist(?:\/|$)/.test(resolveDir)
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    );
  },
};

/** What hubrelay uses of undici: `request`, connections and their proxies. */
const usedOfUndici =
  /^\.\/lib\/(?:api|global|core\/.*|dispatcher\/(?:dispatcher|client|pool|agent|proxy-agent))$/;

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
 * Loads Node's HTTP module in a way that does not read its properties: `import` reads each of them for the module's
 * namespace, and three of them load Node's own copy of undici, a quarter of a small function's cold start.
 */
const httpWithoutNamespace: Plugin = {
  name: "http-without-namespace",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?http$/ }, () => ({ path: "node:http", namespace: "built-in" }));
    onLoad({ filter: /^/, namespace: "built-in" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** What a bundle does without, so that its process starts sooner. */
export const leaner: Plugin[] = [withoutUnusedClient, withoutUnusedUndici, httpWithoutNamespace];
