import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { hubContract } from "../contract/hub.contract.ts";
import { startHub } from "./support/clusters/cluster.ts";

hubContract("a Kubernetes API", async () => {
  const server = await startHub();
  const hub = kubernetesHub(server.admin.kubeConfig);
  return {
    hub,
    async close() {
      hub.close();
      await server.stop();
    },
  };
});
