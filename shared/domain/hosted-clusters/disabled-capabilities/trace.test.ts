import { expect, test } from "vitest";
import { aHostedCluster } from "../fixtures.ts";
import { traceKinds } from "./expected-objects.ts";
import { findTraces } from "./find-traces.ts";
import {
  anAccount,
  anObject,
  claim,
  configs,
  controlPlaneNamespace,
  host,
  inGuest,
  ofController,
  off,
  registryConfig,
  registryOff,
  withConfigs,
} from "./fixtures.ts";
import { type RegistryTraces, type Trace, traceIssues } from "./trace.ts";

test.for<{ name: string; traces: RegistryTraces; reported: Partial<Trace> & Readonly<{ code: string }> }>([
  {
    name: "is something left in the control plane",
    traces: {
      ...registryOff,
      controlPlane: [
        ...registryOff.controlPlane,
        anObject(traceKinds.ConfigMap, "image-registry-controller-config", controlPlaneNamespace),
      ],
    },
    reported: {
      code: "CapabilityLeftover",
      what: "ConfigMap/clusters-shop/image-registry-controller-config",
      message:
        "ConfigMap/clusters-shop/image-registry-controller-config is in the control plane though ImageRegistry is disabled",
      remedy: "Find out what created it, and remove it if it is unused.",
    },
  },
  {
    name: "may be data of users",
    traces: inGuest(
      anObject(traceKinds.PersistentVolumeClaim, "image-registry-storage", "openshift-image-registry"),
    ),
    reported: {
      code: "CapabilityDataKept",
      what: claim,
      message: `${claim} is still in the guest though ImageRegistry is disabled: it may contain data of the cluster's users`,
      remedy: "Check its contents; only its owner should remove it.",
    },
  },
  {
    name: "is storage in the registry's configuration",
    traces: inGuest(
      registryConfig({ status: { storage: { s3: {}, managementState: "Managed", azure: {} } } }),
    ),
    reported: {
      code: "CapabilityDataKept",
      what: "Config/cluster status.storage",
      message: "the registry's configuration still names storage (azure, s3), which may contain images",
      remedy: "Check its contents; only its owner should remove it.",
    },
  },
  {
    name: "is a setting for a registry that is off",
    traces: withConfigs(registryOff, configs(host, off)),
    reported: {
      code: "CapabilityLeftover",
      what: `${ofController} dockerPullSecret.internalRegistryHostname`,
      message: `${ofController} dockerPullSecret.internalRegistryHostname is "${host}" and should be "", since ImageRegistry is disabled`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  },
  {
    name: "is a controller that should be off",
    traces: withConfigs(registryOff, configs(undefined)),
    reported: {
      code: "CapabilityLeftover",
      what: `${ofController} controllers`,
      message: `${ofController} controllers is "" and should be ["*","-openshift.io/serviceaccount-pull-secrets"], since ImageRegistry is disabled`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  },
  {
    name: "are pull secrets of a disabled registry",
    traces: inGuest(anAccount("builder", "builder-dockercfg-x7k2p")),
    reported: {
      code: "CapabilityLeftover",
      what: "ServiceAccount imagePullSecrets",
      message: "service accounts have pull secrets of a registry that is disabled: shop/builder",
      remedy:
        "Check whether the openshift-controller-manager runs with -openshift.io/serviceaccount-pull-secrets.",
    },
  },
])("When there $name, it should report this on the HostedCluster", ({ traces, reported }) => {
  const { code, what, message, remedy } = reported;
  const issue = traceIssues(aHostedCluster(), findTraces(traces)).find(
    ({ message: text }) => text === message,
  );
  expect(issue).toEqual({
    code,
    severity: "warning",
    object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    path: "spec.capabilities",
    value: { capability: "ImageRegistry", what },
    message,
    remedy,
  });
});
