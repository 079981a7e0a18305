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
  version?: string;
  user?: string;
  /** The objects that it has, by path. */
  objects?: Readonly<Record<string, object>>;
}>;

const reviews = /^\/apis\/authorization\.k8s\.io\/v1\/(?:self)?subjectaccessreviews$/;

/** An API for the checks of a command: version, discovery, and access reviews. */
export function scriptedHubApi({
  served,
  refused = [],
  aheadMs = 0,
  token,
  version: gitVersion = "v1.33.2",
  user: username = "jo",
  objects = {},
}: HubApiScript): Promise<ScriptedApi> {
  return scriptedApi(({ method, path, headers, body }, response) => {
    response.setHeader("date", new Date(Date.now() + aheadMs).toUTCString());
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return respondStatus(response, 401, "Unauthorized");
    if (path === "/version") return respondJson(response, 200, { gitVersion });
    if (method === "POST" && reviews.test(path)) {
      const { verb, resource } = JSON.parse(body).spec.resourceAttributes;
      return respondJson(response, 201, { status: { allowed: !refused.includes(`${verb} ${resource}`) } });
    }
    if (method === "POST" && path === "/apis/authentication.k8s.io/v1/selfsubjectreviews")
      return respondJson(response, 201, { status: { userInfo: { username } } });
    const object = objects[path];
    if (object) return respondJson(response, 200, object);
    const plurals = served[path.replace(/^\/apis?\//, "")];
    if (plurals) return respondJson(response, 200, { resources: plurals.map((name) => ({ name })) });
    return respondStatus(response, 404, "NotFound");
  });
}
