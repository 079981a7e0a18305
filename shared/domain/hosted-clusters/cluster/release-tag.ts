/** What release tags have behind the version: the architectures of the payload. */
const architectures = /(?:-(?:multi|x86_64|amd64|aarch64|arm64|ppc64le|s390x))+$/;
const version = /^\d{1,5}\.\d{1,5}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The version that the tag of a release image names, `4.20.4` for `…/ocp-release:4.20.4-multi`; undefined for
 * other tags and for an image without one.
 */
export function versionInTag(image: string): string | undefined {
  const [named = ""] = image.split("@");
  const name = named.slice(named.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  const text = colon < 0 ? "" : name.slice(colon + 1).replace(architectures, "");
  return version.test(text) ? text : undefined;
}
