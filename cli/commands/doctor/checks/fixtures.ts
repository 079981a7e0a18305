import type { HubInspection, ServiceAccount } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";

/** Returns a hub that serves only access reviews, and records each with its account. */
export function aHubThatAllows(isAllowed: (access: string) => boolean) {
  const asked: { access: string; account: ServiceAccount | undefined }[] = [];
  const unused = async () => {
    throw new Error("not expected here");
  };
  const hub: HubInspection = {
    server: "https://hub.example.com",
    loginEnd: async () => undefined,
    createToken: unused,
    version: unused,
    user: unused,
    resources: unused,
    versions: unused,
    object: unused,
    schema: unused,
    isAllowed: async (access, account) => {
      const text = accessText(access);
      asked.push({ access: text, account });
      return isAllowed(text);
    },
    close: () => undefined,
  };
  return { hub, asked };
}
