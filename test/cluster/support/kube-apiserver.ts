import { join } from "node:path";
import { cachedFile, type Tell } from "./cache.ts";
import { go, goBuild } from "./go.ts";

const moduleFolder = join(import.meta.dirname, "../servers/kube-apiserver");
const program = "k8s.io/kubernetes/cmd/kube-apiserver";

/**
 * The path of kube-apiserver, built from its Go module when it is not in the cache: some minutes on two cores, and
 * about two gigabytes in Go's own caches.
 */
export async function kubeApiserver(tell: Tell): Promise<string> {
  const toolchain = (await go(moduleFolder, ["env", "GOVERSION", "GOARCH"])).trim();
  const files = ["go.mod", "go.sum", "tools.go"].map((name) => join(moduleFolder, name));
  return cachedFile("kube-apiserver", { files, texts: [toolchain] }, async (output) => {
    const version = (
      await go(moduleFolder, ["list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes"])
    ).trim();
    tell(`building kube-apiserver ${version} from its Go module, once: this takes some minutes`);
    const flags = ["-trimpath", "-ldflags", `-s -w -X k8s.io/component-base/version.gitVersion=${version}`];
    const started = performance.now();
    await goBuild(moduleFolder, { program, flags, output }, (packages, seconds) =>
      tell(`kube-apiserver: ${packages} packages compiled after ${seconds} s`),
    );
    tell(`kube-apiserver ${version} built in ${Math.round((performance.now() - started) / 1000)} s`);
  });
}
