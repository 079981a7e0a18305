import { join } from "node:path";
import type { Plugin } from "esbuild";
import { paths } from "../paths.ts";

/**
 * These packages do not declare that their modules have no side effects, so esbuild keeps unused modules. The only side
 * effect adds a global of Node 20 to Node 18.
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
 * The CommonJS files, which the package offers to Node, run seventy closures at import. The ES modules for browsers
 * differ only in warnings and the tag `!!binary`, which hubrelay defines.
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

const usedOfUndici =
  /^\.\/lib\/(?:api|global|core\/.*|dispatcher\/(?:dispatcher|client|pool|agent|proxy-agent)|interceptor\/(?:redirect|retry))$/;

/** undici is CommonJS, so esbuild cannot remove unused code such as fetch, and all of it would run at import. */
const withoutUnusedUndici: Plugin = {
  name: "without-unused-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/lib\// }, ({ path, importer }) =>
      importer.endsWith("/undici/index.js") && !usedOfUndici.test(path)
        ? { path, namespace: "unused-undici" }
        : undefined,
    );
    // undici's main module creates a CacheStorage when it is loaded, so each replacement has such a class.
    onLoad({ filter: /^/, namespace: "unused-undici" }, () => ({
      contents: "module.exports = { CacheStorage: class {} };",
    }));
  },
};

/** Modules that are seldom used and slow to import, such as Node's HTTP module, which loads Node's own undici. */
const seldomUsed =
  /^(?:(?:node:)?(?:child_process|http)|@iarna\/toml|hpagent|jsonpath-plus|socks|socks-proxy-agent)$/;

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

/** Delays loading undici's HTTP/2 client until a server negotiates HTTP/2. Connections to a hub never use HTTP/2. */
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

/** Plugins that remove modules from a bundle, or delay loading them, so that the process starts sooner. */
export const leaner: Plugin[] = [
  withoutUnusedModules,
  yamlAsModules,
  withoutUnusedUndici,
  modulesWhenUsed,
  http2WhenUsed,
];
