/** Issue codes about a fleet. Form of a row: `issue-codes.ts`. */
export const ofPrecaching = {
  AdditionalImageInvalid:
    "error: an additional image is not named in full, with registry and digest. Fix: write the image as registry/repository@sha256:digest",
  AmbiguousManagedPoliciesNames:
    "error: managed policies in several namespaces have the same name. Fix: rename all but one: policies are referenced only by name",
  CatalogChosenOnCluster:
    "warning: a raw template chooses between catalogs on the cluster, which pulls all of them. Fix: use a policy for each choice, or name the index image in a PreCachingConfig",
  CatalogNotManaged:
    "warning: a Subscription names a catalog that no managed policy has, and is left out. Fix: manage a policy with the CatalogSource, or name index and packages in a PreCachingConfig",
  ClusterDetached:
    "warning: a cluster is no longer managed and is left out. Fix: remove the cluster from the list, or import it again",
  ClusterNotFound:
    "either: a listed cluster is not a managed cluster, or a selector is invalid; a warning if only some files are given. Fix: correct the name or the selector",
  ClustersNotReached:
    "warning: clusters are not accepted by the hub, or not available. Fix: accept the ManagedCluster, or check its klusterlet",
  ClusterTopologyUnknown:
    "warning: clusters do not report whether they have a single node. Fix: check the claim `controlplanetopology.openshift.io` of the ManagedCluster",
  ClusterVersionUnknown:
    "warning: clusters do not report their version. Fix: check the claim `version.openshift.io` of the ManagedCluster",
  DeprecatedConfigMap:
    "warning: values come from TALM's deprecated ConfigMap. Fix: move the values into a PreCachingConfig",
  EnableTimeInvalid:
    "error: the annotation that enables the rollout has an unknown value. Fix: write `now`, a time with its zone, `window` or `window=NAME`",
  EnableWindowMissing:
    "error: no usable window decides when the rollout is enabled. Fix: create or correct the window, or name another one",
  ClockDiffers:
    "warning: hubrelay's clock and the hub's differ by more than 60 s, so no window opens. Fix: synchronize both machines with the same time server (NTP)",
  FieldMissing:
    "warning: a policy's object lacks a field that pre-caching needs. Fix: write the field into the policy, or name the value in a PreCachingConfig",
  HubVersionUnknown:
    "warning: the hub's version is unknown, so that of the clusters is not compared with it. Fix: set `--hub-version`, or `HUBRELAY_HUB_VERSION` for the function",
  InvalidBandwidth:
    "error: the value of an annotation is not a bandwidth. Fix: write Mbit/s like `100`, or `SITE=20`, several with commas",
  InvalidLimit:
    "error: the value of an annotation is not a limit. Fix: write a whole number; for registries `host=number`, several with commas",
  InvalidPlatformImage:
    "error: the release image cannot be determined. Fix: correct the ClusterVersion in the policies, or name the image itself",
  MaxConcurrencyIgnored:
    "warning: maxConcurrency is not positive, and all clusters may run at the same time. Fix: write how many clusters may run at the same time, from 1",
  MaxConcurrencyMissing:
    "warning: maxConcurrency is missing, and the API server requires it. Fix: set how many clusters may run at the same time",
  NodesOfOtherArchitecture:
    "warning: clusters have nodes of another architecture than the release. Fix: name the release of their architecture, or the one of all",
  NoClusterSelected:
    "warning: no cluster is selected. Fix: check the names, and the labels of the ManagedClusters",
  NotPrecached:
    "warning: images of OLM v1 and image-based upgrades are not pre-cached. Fix: name its images in additionalImages, if they are to be pre-cached",
  NoUpdatePath:
    "warning: the update graph has no update from the versions of clusters. Fix: update the clusters to a version between first, or choose another channel",
  NotAllManagedPoliciesExist:
    "either: a managed policy is missing or invalid; a warning if only some files are given. Fix: name policies that exist, are enabled, and are bound to a selected cluster",
  IndexNotAllowed:
    "warning: the hardened profile pulls no catalog from this repository. Fix: add the repository to `HUBRELAY_INDEX_REPOSITORIES`",
  OverrideDiffers:
    "warning: an override differs from what the policies roll out. Fix: remove the override, or write what the policies have",
  OverrideIgnored:
    "warning: the hardened profile does not use this override. Fix: remove the field, or use the profile `standard`",
  OverrideImageInvalid:
    "error: an image in the overrides is not an image reference. Fix: write host[:port]/path:tag or host[:port]/path@digest",
  PackageAsMap: "warning: a package without quotes is a map in YAML. Fix: write the package in quotes",
  PackageEntryInvalid:
    "warning: an entry is not `package:channel`. Fix: write `package:channel`, each package once",
  PackagesWithoutIndex:
    "warning: packages are named, but no index that contains them. Fix: manage a policy with the CatalogSource, or name the index image",
  PatternEmpty: "warning: a pattern is empty and has no effect. Fix: remove the entry",
  PatternMatchesAll:
    "warning: a pattern leaves out every image of a release. Fix: name the images to leave out by more of their tag",
  PatternMatchesNothing:
    "warning: a pattern is in the name of no image, and has no effect. Fix: write a part of an image's tag or name as a basic regular expression",
  PinnedOperatorVersion:
    "warning: only the head of a channel is pre-cached, not the pinned version. Fix: name the images of the version in additionalImages, if it is another one",
  PolicyEnforced:
    "warning: a managed policy is enforced and is skipped. Fix: set its remediationAction to `inform`",
  PolicyInvalid:
    "error: a managed policy cannot be read. Fix: correct the policy, or take it out of managedPolicies",
  PreCachingByBoth:
    "error: TALM and hubrelay are both requested to pre-cache. Fix: set `preCaching: false`, or remove the annotation",
  PreCachingConfigMissing:
    "either: the PreCachingConfig does not exist; a warning if only some files are given. Fix: create the PreCachingConfig, or correct the reference",
  PrecachedImagesVerified:
    "warning: the kubelet asks the registry for images that were pre-cached. Fix: use NeverVerifyPreloadedImages, or keep the registry in reach",
  PreflightOnly:
    "warning: a ClusterVersion only checks an update, and its release is not pre-cached. Fix: remove the mode when the cluster is to be upgraded",
  ReferenceForm:
    "warning: the reference to the PreCachingConfig is not one object. Fix: write an object with the fields name and namespace",
  ReleaseImageDiffers:
    "warning: the update graph has another image for the version. Fix: write the image of that version, or the version of this image",
  RequireReadyInvalid:
    "error: the annotation that requires ready images has an unknown value. Fix: write true or false",
  RolloutBeforePrecaching:
    "warning: the rollout began before pre-caching. Fix: create the upgrade with `enable: false`",
  SelectorEmptyValue:
    "warning: an entry of clusterSelector has no value, and selects only an empty label. Fix: write key=value, or use clusterLabelSelectors with the operator Exists",
  SelectorIgnored:
    "warning: an entry of clusterSelector is ignored. Fix: write key=value, or use clusterLabelSelectors",
  SpaceInBytes: "warning: the space has no unit and is read as bytes. Fix: write the unit, such as `GiB`",
  SpaceRequiredInvalid:
    "error: spaceRequired is not an amount of space. Fix: write a number and a unit, such as `45 GiB`",
  SpaceRequiredTooSmall: "warning: the images need more than spaceRequired. Fix: raise spaceRequired",
  SpecInconsistent:
    "error: the values for pre-caching are incomplete. Fix: name images in a PreCachingConfig, or manage policies that have them",
  TargetIsOlder:
    "warning: clusters run a newer version than the target. Fix: name a newer release, or take the clusters out of the selection",
  TemplatedField:
    "warning: a policy's field is a template that is resolved only on the cluster. Fix: write the value itself, or name it in a PreCachingConfig",
  TimeoutIgnored:
    "warning: the timeout is not positive, and the default is used. Fix: write whole minutes from 1, or leave it out",
  UnresolvableDependency:
    "error: a managed policy depends on a later one. Fix: list policies in the order of their dependencies",
  VersionSkew:
    "warning: clusters are more than two minor versions behind the hub. Fix: upgrade these clusters first",
  WrongType:
    "error: a field of the PreCachingConfig has a value of another type. Fix: write a value of the type that the message names",
} as const;

export const ofReadiness = {
  CatalogEntryMissing:
    "error: a catalog does not have the package or channel, or cannot be read completely. Fix: name a package and a channel that the catalog has",
  CatalogNameTooLong:
    "error: the name of a catalog does not fit in a label, so that OLM cannot use it. Fix: set a shorter targetCatalog or targetTag in the ImageSetConfiguration",
  CatalogUnreadable:
    "error: the content of a catalog is not known. Fix: make the catalog's image readable: its name, the login, the authority of its registry",
  DryRunOfOcMirror:
    "warning: a dry run of oc-mirror mirrors nothing. Fix: run oc-mirror without `--dry-run`, and delete the folder `dry-run`",
  NotOfOcMirror:
    "warning: an object is of a kind that oc-mirror does not write, and is left out. Fix: apply the object on its own",
  RegistryAccessEnds:
    "warning: a registry's certificate, a bundle of certificate authorities or a token of the pull secret ends soon. Fix: renew the certificate, the bundle or the token before it ends",
  RegistryUnresponsive:
    "warning: a registry that nodes ask before others does not respond. Fix: bring the registry back, or remove it from the mirror objects",
  ReleaseNotSigned:
    "either: no ConfigMap has a signature of the release; an error with `--disconnected`. Fix: apply the signature-configmap.yaml that oc-mirror writes",
  ReleaseOfOtherArchitecture:
    "error: the release is for nodes of another architecture. Fix: name the release of this architecture or the one of all, or set --arch",
  ReleaseUnreadable:
    "error: the images of a release are not known. Fix: mirror the release image, or give its version, digest and login",
  StaleMirrorSet:
    "warning: a mirror object of an earlier run of oc-mirror has other mirrors for a source. Fix: delete the older object once nothing needs its mirrors",
  UnreadableImageName:
    "error: an image is not named so that a node could pull it. Fix: name the image in full, as host/path@sha256:DIGEST or host/path:tag",
} as const;

export const ofWindows = {
  EitherDay:
    "warning: the schedule sets day of month and day of week, of which one is enough. Fix: write `*` in one of the two day fields; `SAT#1` is the first Saturday of a month",
  InvalidDate:
    "error: a freeze has no valid date, or ends before it begins. Fix: write YYYY-MM-DD, `to` not before `from`",
  InvalidDuration:
    "error: the duration cannot be read, is zero, or is longer than a year. Fix: write an elapsed time such as `2h30m`, more than zero and at most a year",
  InvalidEnd: "error: atEnd has an unknown value. Fix: write `Suspend` or `Finish`, or leave it out",
  InvalidSchedule:
    "error: the schedule is not a cron expression. Fix: write five fields: minute, hour, day of month, month, day of week; a time zone is a field of its own, `timeZone`",
  InvalidSelector:
    "error: the cluster selector is invalid. Fix: write matchLabels and matchExpressions as Kubernetes has them; `{}` is every cluster",
  NeverOpens:
    "error: the window has no opening. Fix: correct the date in the schedule, let the last freeze end, or delete the window",
  OverlappingOpenings:
    "warning: openings overlap or never end, so that the window is open for longer than its duration. Fix: give each opening one start, such as `0 2 * * *` instead of `* 2 * * *`, and its whole length as the duration",
  UnknownTimeZone:
    "error: the time zone is unknown. Fix: write a name of the IANA database, such as Europe/Berlin",
  WindowMissing:
    "either: a named MaintenanceWindow does not exist; a warning if only some files are given. Fix: create the window, or correct the reference",
  WindowUnusable:
    "either: a named MaintenanceWindow is invalid; a warning if only some files are given. Fix: correct the window; its own issues say how",
} as const;

export const ofHostedClusters = {
  AmbiguousOverrides:
    "warning: HyperShift chooses at random between two overrides. Fix: write only the one for `registry.redhat.io`",
  ArchitectureNotInRelease:
    "warning: the release of a node pool is for another architecture than its nodes. Fix: name a release for the pool's architecture, or one for several",
  AuthoritiesForbidden:
    "warning: hubrelay may not read the authorities of registries. Fix: bind the role that the message names",
  BelowCapabilityRelease:
    "warning: a disabled capability is always installed in the target release. Fix: stay at the release that the message names, or newer",
  CapabilityDataKept:
    "warning: a disabled capability left a volume or bucket that may contain data. Fix: check its contents; only its owner should remove it",
  CapabilityLeftover:
    "warning: an object exists although its capability is disabled. Fix: check the log of the operator that the remedy names, or remove the object",
  CapabilityNotInTable:
    "warning: the guest has a capability that hubrelay does not know. Fix: use a newer hubrelay; until then the capability stays off",
  CapabilityNotSupported:
    "warning: the cluster's release cannot turn the capability on or off. Fix: expect parts of it to be present, or create the cluster with a newer release",
  CatalogNotByDigest:
    "either: an annotation names a catalog without its digest; a warning in `validate`. Fix: write the image with `@sha256:` and its digest",
  CatalogMirrorsNotTaken:
    "warning: HyperShift does not take the management cluster's mirrors for the catalogs. Fix: set the annotation that the message names",
  CatalogNotFound:
    "error: a registry does not have a catalog. Fix: mirror the catalog, or fix the annotations that say where it is",
  CatalogsIncomplete:
    "either: annotations name some of the catalogs only; a warning in `validate`. Fix: set the annotations of all catalogs, or of none",
  CatalogsNotFound:
    "warning: the mirrors do not have all catalogs, so none is changed. Fix: mirror the catalogs that the message names; it is tried again at every tick",
  ControlPlaneImmutable:
    "error: the HostedControlPlane has another value in an immutable field. Fix: recreate the HostedControlPlane with the value of its HostedCluster",
  DeadAnnotation:
    "warning: the annotation is about a catalog that no longer exists. Fix: remove the annotation",
  DroppedPair:
    "warning: a source and its mirror are left out of the overrides. Fix: write source and mirror as host[:port][/path], in lower case, without wildcard and scheme",
  DuplicateSource:
    "warning: a source has several entries in imageContentSources. Fix: put all mirrors of the source into one entry",
  DuplicateValue: "error: a list has a value twice. Fix: list the value once",
  EmptyCapabilities:
    "warning: an empty list keeps HyperShift from creating the cluster. Fix: leave the list out",
  GuestLocked:
    "error: the guest's admission policies refuse hubrelay's writes. Fix: let hubrelay read the Secret that the message names",
  IgnoredAnnotation:
    "warning: HyperShift does not read the annotation where the catalogs run in the guest. Fix: write the mirror into the annotation that the message names",
  IgnoredKind: "warning: HyperShift does not read this kind. Fix: write the rule as ImageDigestMirrorSet",
  IgnoredPolicy:
    "warning: HyperShift does not read mirrorSourcePolicy. Fix: block the source in the network, if it must never be contacted",
  ImmutableField: "error: the field cannot be changed. Fix: keep the value with which the object was created",
  ImplicitlyEnabled:
    "warning: a capability is on in the guest without being requested. Fix: nothing: only a new cluster is without it",
  InvalidTarget:
    "warning: no catalog's address can begin with the target of this override. Fix: write host[:port][/path] in lower case, without scheme and tag",
  InvalidValue: "error: the value breaks a rule of the API. Fix: change what the message names",
  MissingDependency:
    "error: an enabled capability requires one that is disabled. Fix: enable both capabilities, or disable both",
  NoMirrors:
    "warning: an entry of imageContentSources has no mirrors. Fix: list mirrors, or remove the entry",
  OlderCatalog:
    "warning: the mirror has a catalog for an older release only. Fix: mirror the catalog of the cluster's release",
  ReleaseNotFound:
    "error: the release image cannot be read. Fix: mirror the release, or name one that the registries have",
  ReleaseNotInTable:
    "warning: hubrelay does not know the capabilities of the release. Fix: use a newer hubrelay; until then new capabilities stay off",
  ReleaseUnknown:
    "warning: the release is unknown, so the capabilities are those of the newest. Fix: set `--release-version`, or wait until status.version has it",
  RenamedCatalog:
    "warning: the mirror has a catalog under another name, which no override can express. Fix: mirror the catalog under its own name",
  SharedControlPlaneNamespace:
    "warning: two control planes would be in one namespace. Fix: rename one: a dot in a name becomes a dash in the namespace",
  SourceIgnoredByRelease:
    "warning: the control plane's release does not take the mirrors of a registry or namespace. Fix: write rules for the repositories, or upgrade the control plane",
  StaysEnabled:
    "warning: a disabled capability stays on after the upgrade. Fix: nothing: only a cluster created with the new release is without it",
  TooLong: "error: the value is too long. Fix: write a shorter value",
  UnknownVersion: "warning: the version of the release is unknown. Fix: set `--release-version`",
  UnreadablePause:
    "warning: HyperShift cannot read pausedUntil and pauses nothing. Fix: write `true`, or a time with its zone: 2026-12-01T00:00:00Z",
  UnsupportedPoolConfig:
    "error: a ConfigMap of a node pool contains what HyperShift refuses, and its whole spec.config with it. Fix: keep only the kinds that the message names",
  UnsupportedSkew:
    "warning: the version of a node pool is newer than its control plane's, or too old for it. Fix: upgrade the control plane first, or the pool",
  UnsupportedValue:
    "error: the value is not one of the supported ones. Fix: write one of the values that the message names",
  UnusablePair:
    "warning: HyperShift cannot make an image name of a source and its mirror, and skips the mirror. Fix: give source and mirror as many parts as an image name has",
  UnusedTuning:
    "warning: a NodePool has tuning although NodeTuning is disabled. Fix: remove the tuning: only a new HostedCluster can have NodeTuning again",
  UselessOverride:
    "warning: no default catalog has an address with the source of this override. Fix: write it for `registry.redhat.io` or `registry.redhat.io/redhat`",
} as const;
