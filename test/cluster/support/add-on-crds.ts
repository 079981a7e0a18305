import { type Crd, crdsOfModules } from "./crds.ts";
import { serverFolder } from "./go-program.ts";

/** What a hub has besides when KEDA and Prometheus' operator run on it, as far as `infra/kubernetes` uses it. */
export const addOnCrds = (): Promise<readonly Crd[]> =>
  crdsOfModules(serverFolder("add-ons"), {
    "github.com/kedacore/keda/v2": ["keda.sh_scaledobjects", "keda.sh_triggerauthentications"].map(
      (name) => `config/crd/bases/${name}.yaml`,
    ),
    "github.com/prometheus-operator/prometheus-operator": ["podmonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  });
