import { sentence } from "../credentials/redact.ts";
import type { HostedClusterReport } from "./hosted-cluster-report.ts";

/** Returns what a hosted cluster gets, by name, as text: one for each item. */
export function hostedItems({
  registryOverrides,
  olmCatalogs,
  imageContentSources,
  capabilities,
}: HostedClusterReport): readonly (readonly [string, readonly string[]])[] {
  const enabled = (capabilities.additionalEnabledCapabilities ?? []).join(", ");
  const which = capabilities.baselineCapabilitySet === "vCurrent" ? "all of the release: " : "";
  return [
    [
      "registry overrides",
      Object.entries(registryOverrides).map(
        ([source, mirrors]) => sentence`${source} from ${mirrors.join(", ")}`,
      ),
    ],
    ["catalogs", olmCatalogs.map(({ name, image }) => sentence`${name} from ${image}`)],
    [
      "nodes' mirrors",
      imageContentSources.map(({ source, mirrors }) => sentence`${source} from ${mirrors.join(", ")}`),
    ],
    ["capabilities", enabled === "" ? [] : [`${which}${enabled}`]],
  ];
}
