import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { tryParseManifestObject } from "#shared/domain/kubernetes/manifest-object.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { succeeded } from "../../../infra/command.ts";
import { paths } from "../../../infra/paths.ts";
import { cachedFile, type Tell } from "./cache.ts";
import { go, goBuild } from "./go.ts";

const moduleFolder = join(import.meta.dirname, "../servers/kustomize");
const program = "sigs.k8s.io/kustomize/kustomize/v5";

/** The path of kustomize, built from its Go module when it is not in the cache: half a minute. */
export async function kustomize(tell: Tell): Promise<string> {
  const toolchain = (await go(moduleFolder, ["env", "GOVERSION", "GOARCH"])).trim();
  const files = ["go.mod", "go.sum", "tools.go"].map((name) => join(moduleFolder, name));
  return cachedFile("kustomize", { files, texts: [toolchain] }, async (output) => {
    tell("building kustomize from its Go module, once");
    await goBuild(
      moduleFolder,
      { program, flags: ["-trimpath", "-ldflags", "-s -w"], output },
      (packages, seconds) => tell(`kustomize: ${packages} packages compiled after ${seconds} s`),
    );
  });
}

/** What `kustomize build` makes of a folder of the repository, without reaching for anything outside of it. */
export async function renderKustomization(folder: string): Promise<readonly KubernetesObject[]> {
  const built = await kustomize((line) => console.log(line));
  const { stdout } = await succeeded(built, ["build", folder], { cwd: paths.root });
  return parseAllDocuments(stdout).map((document) => {
    const object = tryParseManifestObject(document.toJS());
    if (!object) throw new Error(`${folder} renders what is no Kubernetes object:\n${document.toString()}`);
    return object;
  });
}
