const short: Readonly<Record<string, string>> = {
  cert: "certified-operator-index",
  comm: "community-operator-index",
  rh: "redhat-operator-index",
};

/** Expands the short addresses in test tables: `R/cert:v4.18` is Red Hat's certified catalog of 4.18. */
export const full = (image: string) =>
  image
    .replace(/^R\//, "registry.redhat.io/redhat/")
    .replace(/\/(cert|comm|rh):/, (_, name: string) => `/${short[name]}:`);
export const digest = `sha256:${"d".repeat(64)}`;
