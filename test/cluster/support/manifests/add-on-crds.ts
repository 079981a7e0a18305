import { serverFolder } from "../programs/go-program.ts";
import { type Crd, crdsOfModules } from "./crds.ts";

/** What `infra/kubernetes` uses of the CRDs of KEDA and of the Prometheus operator, and Routes. */
export async function addOnCrds(): Promise<readonly Crd[]> {
  const routes = { "github.com/openshift/api": ["route/v1/zz_generated.crd-manifests/routes.crd.yaml"] };
  const addOns = await crdsOfModules(serverFolder("add-ons"), {
    "github.com/kedacore/keda/v2": ["keda.sh_scaledobjects", "keda.sh_triggerauthentications"].map(
      (name) => `config/crd/bases/${name}.yaml`,
    ),
    "github.com/prometheus-operator/prometheus-operator": ["podmonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  });
  return [...addOns, ...(await crdsOfModules(serverFolder("crds"), routes))];
}
