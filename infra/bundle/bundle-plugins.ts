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
export const leaner: Plugin[] = [
  withoutUnusedModules,
  yamlAsModules,
  withoutUnusedUndici,
  httpWithoutNamespace,
];
