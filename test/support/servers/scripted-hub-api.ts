import { respondJson, respondStatus, type ScriptedApi, scriptedApi } from "./scripted-api.ts";

export type HubApiScript = Readonly<{
  /** The plural names that a group version serves. */
  served: Readonly<Record<string, readonly string[]>>;
  /** The `verb resource` that is forbidden. */
  refused?: readonly string[];
  /** How far its clock is ahead. */
  aheadMs?: number;
  /** The accepted token; by default any. */
  token?: string;
}>;

const reviews = /^\/apis\/authorization\.k8s\.io\/v1\/(?:self)?subjectaccessreviews$/;

/** An API for the checks of a command: version, discovery, and access reviews. */
export function scriptedHubApi({
  served,
  refused = [],
  aheadMs = 0,
  token,
}: HubApiScript): Promise<ScriptedApi> {
  return scriptedApi(({ method, path, headers, body }, response) => {
    response.setHeader("date", new Date(Date.now() + aheadMs).toUTCString());
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return respondStatus(response, 401, "Unauthorized");
    if (path === "/version") return respondJson(response, 200, { gitVersion: "v1.33.2" });
    if (method === "POST" && reviews.test(path)) {
      const { verb, resource } = JSON.parse(body).spec.resourceAttributes;
      return respondJson(response, 201, { status: { allowed: !refused.includes(`${verb} ${resource}`) } });
    }
    if (method === "POST" && path === "/apis/authentication.k8s.io/v1/selfsubjectreviews")
      return respondJson(response, 201, { status: { userInfo: { username: "jo" } } });
    const plurals = served[path.replace(/^\/apis?\//, "")];
    if (plurals) return respondJson(response, 200, { resources: plurals.map((name) => ({ name })) });
    const versions = Object.keys(served).filter((version) => `/apis/${version}`.startsWith(`${path}/`));
    if (versions.length > 0)
      return respondJson(response, 200, {
        versions: versions.map((version) => ({ version: version.split("/").at(-1) })),
      });
    return respondStatus(response, 404, "NotFound");
  });
}
