import type { HubInspection, ServiceAccount } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";

/** A hub that answers only what an account may do, and remembers each question and about whom it was. */
export function aHubThatAllows(isAllowed: (access: string) => boolean) {
  const asked: { access: string; account: ServiceAccount | undefined }[] = [];
  const nobody = async () => {
    throw new Error("not asked here");
  };
  const hub: HubInspection = {
    server: "https://hub.example.com",
    version: nobody,
    user: nobody,
    resources: nobody,
    versions: nobody,
    object: nobody,
    schema: nobody,
    isAllowed: async (access, account) => {
      const text = accessText(access);
      asked.push({ access: text, account });
      return isAllowed(text);
    },
    close: () => undefined,
  };
  return { hub, asked };
}
