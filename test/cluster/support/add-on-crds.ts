import { join } from "node:path";
import { type Crd, crdsOfModules } from "./crds.ts";

const moduleFolder = join(import.meta.dirname, "../servers/add-ons");

/** What a hub has besides when KEDA and Prometheus' operator run on it, as far as `infra/kubernetes` uses it. */
export const addOnCrds = (): Promise<readonly Crd[]> =>
  crdsOfModules(moduleFolder, {
    "github.com/kedacore/keda/v2": ["keda.sh_scaledobjects", "keda.sh_triggerauthentications"].map(
      (name) => `config/crd/bases/${name}.yaml`,
    ),
    "github.com/prometheus-operator/prometheus-operator": ["podmonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  });
