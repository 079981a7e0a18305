/**
 * The severity of a code, and what it means. What only an API server or a node refuses is an error in manifests, and a
 * warning about objects that a hub has stored.
 */
type Registered = Readonly<{ severity: "error" | "warning" | "either"; meaning: string }>;

const error = (meaning: string): Registered => ({ severity: "error", meaning });
const warning = (meaning: string): Registered => ({ severity: "warning", meaning });
const either = (meaning: string): Registered => ({ severity: "either", meaning });

const ofFilesAndObjects = {
  DuplicateObject: either("the object is defined more than once"),
  EmptyDocument: error("a file or document has no manifest"),
  HubNotAsked: warning("the hub's API server could not check the object"),
  InvalidAcceptance: error("a comment that accepts an issue cannot be read, and accepts nothing"),
  InvalidAnnotation: error("an annotation that requests something from hubrelay has an unknown value"),
  InvalidManifest: error(
    "a file is not valid YAML or JSON, or an object lacks a field that every object has",
  ),
  InvalidMaxCost: error("an allowed cost is not one of the costs"),
  InvalidName: error("no API server accepts the object's name or namespace"),
  InvalidReference: error("a release or catalog is not an image reference"),
  InvalidSetting: error("a setting of `.hubrelay.yaml` is invalid"),
  InvalidType: error("a field has a value of another type"),
  InvalidVersion: either(
    "the version of a release has another format; a warning in `validate` if it is that of a HostedCluster",
  ),
  LoginLeftToProgram: warning(
    "the login of a registry is in a credential helper, which hubrelay does not run",
  ),
  MissingField: error("a required field is missing"),
  NotRendered: warning("kustomize or Helm makes other manifests of these files than they have"),
  NotCovered: error("with `--require-coverage`: something was not read, or is assumed"),
  ObjectTooLargeForApply: warning("`kubectl apply` refuses an object of this size"),
  RefusedByHub: error("the hub's API server refuses the object"),
  RenderFailed: error("kustomize or Helm cannot render a folder of `-k` or `--helm`"),
  SkippedPath: warning("a path in the hub's folder is not a file or folder that can be read"),
  TakeOverRefused: error("another program still writes what hubrelay is requested to take over"),
  UnknownAnnotation: warning("hubrelay has no annotation of this name"),
  UnknownField: either("the kind has no such field"),
  UnreadableFile: error("a file cannot be read"),
  UnreadableObject: error("hubrelay itself failed while it read the object, which is a bug"),
  WrongApiVersion: error("the kind is not served in this version of its API"),
};

const ofMirrors = {
  AllowedAndBlocked: error("the lists of Image `cluster` allow and block at the same time"),
  AssumedPayloadRejected: warning(
    "the release is not known, and the lists reject the repositories of OpenShift's releases",
  ),
  ChangedMeaning: warning("conversion splits the object, and the parts work only together"),
  ConflictScopes: warning(
    "the scope of a signature policy has no effect: a ClusterImagePolicy covers that of an ImagePolicy, or, with 4.16, it contains the release payload",
  ),
  ConflictingMirrorSourcePolicy: error("two rules of one source have different mirrorSourcePolicy"),
  ContradictingOrder: warning("rules of one source contradict each other, and the order of this one is lost"),
  CredentialProviderChanges: warning(
    "logins of namespaces change, and with them the kubelet's configuration",
  ),
  DeprecatedKind: warning("the kind is deprecated in favour of another"),
  DroppedMetadata: warning("conversion leaves out a field of the metadata"),
  DuplicateMirror: either("a rule lists a mirror twice"),
  DuplicateName: either("conversion makes two objects of one name; an error if their rules differ"),
  DuplicateRule: warning("another rule has the same mirrors of the same source"),
  GuardFailedOpen: warning("machine-config-operator blocks no registry, since its own check fails"),
  HidesMirrors: warning("a source has mirrors of its own and does not use those of the source around it"),
  InvalidImagePolicy: error("the API server refuses the signature policy"),
  InvalidMirror: either(
    "a mirror is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write",
  ),
  InvalidMirrorSourcePolicy: error("mirrorSourcePolicy has an unknown value"),
  InvalidNodeFile: error("the container runtime of a node refuses the file, and pulls no image"),
  InvalidPoolSelector: error(
    "machine-config-operator cannot read the selector of a MachineConfigPool, and stops at it",
  ),
  InvalidReleaseImage: either("the release image of the cluster cannot be parsed"),
  InvalidScope: either(
    "a registry in a list of Image `cluster` is invalid; an error if it cannot be rendered",
  ),
  ImagePolicyNotRead: warning("the release of the cluster reads no ImagePolicies"),
  InternalRegistryNotAllowed: warning("the cluster's own image registry is not among the allowed registries"),
  InvalidSource: either(
    "a source is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write",
  ),
  InvalidTemplate: error("the base file cannot be parsed"),
  KindWithoutEffect: warning("the object can be created, but nothing reads it"),
  MachineConfigLarge: warning(
    "the MachineConfig takes much of the size that a pool's MachineConfigs may have",
  ),
  MachineConfigTooLarge: either("a pool's MachineConfigs may not have this size; a warning in verify mode"),
  MatchesOnlyWithPort: warning("a source is one word: a registry, of which only names with a port match"),
  MirrorBlocked: warning("a mirror is never used, since it is blocked or not allowed"),
  MirrorBreaksPayload: either(
    "with this mirror every pull of the release payload fails; a warning in verify mode",
  ),
  MirrorBreaksPulls: warning("with this mirror every pull of the source fails"),
  NameWithoutEffect: either("OpenShift reads only the object of another name of this kind"),
  NameTaken: warning("conversion gives the object another name, since the first is taken by other rules"),
  NamespacePoliciesTooLarge: error(
    "the image policies of a namespace make the MachineConfig too large; no longer reported",
  ),
  NeverContactSourceNotInherited: warning("a scope may be contacted although the source around it must not"),
  NeverMatches: warning("a source or scope matches no image"),
  NotConvertible: either("the kind cannot be converted; an error if the input has no other"),
  OldRegistriesConf: warning("registries.conf has version 1 of the format, which newer programs refuse"),
  OnlyPayloadAllowed: either(
    "with these lists nodes reject every image but those of the release payload; an error in own mode",
  ),
  OtherMachineConfig: warning(
    "another MachineConfig differs in more than files of the mirror configuration, whose cost is not part of the result",
  ),
  OverriddenByMachineConfig: warning(
    "the object, or a field of it, has no effect on nodes, since a MachineConfig writes another file or entry",
  ),
  PayloadBlocked: warning("an entry would block the release payload, so it blocks nothing"),
  PayloadNotAllowed: either(
    "the release payload is not among the allowed registries; a warning in verify mode",
  ),
  PayloadRejected: either(
    "machine-config-operator's policy.json rejects images of the release, since it exempts only the release image; an error in own mode",
  ),
  PayloadUnreachable: either(
    "the release payload could not be pulled from anywhere; a warning in verify mode",
  ),
  PolicyScopeBlocked: error("the scope of a signature policy is blocked"),
  PolicyScopeNotAllowed: error("the scope of a signature policy is not allowed"),
  PolicyScopeOfMirror: warning(
    "a signature policy is about a mirror, and images that pods name by the source are not verified",
  ),
  PolicyScopeUnusable: error("the mirrors of a signature policy's scope cannot be looked up"),
  PullsWithoutLocation: warning(
    "a source must not be contacted, and no mirror of it serves pulls by tag, or by digest",
  ),
  RedundantScope: warning("another entry of the list contains this one"),
  RefusedByOc: error("`oc adm migrate icsp` refuses the file; no longer reported"),
  RefusedMachineConfig: error(
    "machine-config-operator refuses the MachineConfig: its pool is RenderDegraded, and no change reaches the nodes",
  ),
  ReleaseAssumed: warning("the release of the cluster is not known, so the form of another is used"),
  ReleaseImagesUnknown: warning(
    "it is not known where the images in the release are, so only the release image is protected",
  ),
  RuleWithoutMirrors: warning("a rule has no mirror and no effect"),
  SignatureNameNeedsTag: warning(
    "by default, or with RemapIdentity, a signature is refused whose name has neither tag nor digest",
  ),
  SourceBlocked: warning("images of the source are rejected, since it is blocked"),
  SourceIsOwnMirror: error("a source that must not be contacted is one of its own mirrors"),
  SourceNotAllowed: warning("images of the source are rejected, since it is not allowed"),
  SupersededKind: warning("the kind was superseded before it shipped, and OpenShift does not read it"),
  UnknownKind: error("the API has no such kind"),
  UnloadableRegistries: error("nodes could not load the rendered registries.conf"),
  UnreadNodeFile: warning("a MachineConfig writes a file that hubrelay cannot read"),
  UnusableKey: warning(
    "nodes cannot read a key or certificate of a signature policy, and pull no image of its scopes",
  ),
  WildcardSourceNested: error(
    "a wildcard source covers a blocked or insecure scope without mirrors of its own",
  ),
  WrongField: error("the rules are in a field of another kind"),
};

const ofPrecaching = {
  AdditionalImageInvalid: error("an additional image is not named in full, with registry and digest"),
  AmbiguousManagedPoliciesNames: error("managed policies in several namespaces have the same name"),
  CatalogChosenOnCluster: warning(
    "a raw template chooses between catalogs on the cluster, which pulls all of them",
  ),
  CatalogNotManaged: warning("a Subscription names a catalog that no managed policy has, and is left out"),
  BlockingUpgradeMissing: warning("the rollout waits for an upgrade that does not exist"),
  ManifestWorkTemplateMissing: warning("the rollout needs a ManifestWorkReplicaSet that does not exist"),
  ClusterDetached: warning("a cluster is no longer managed and is left out"),
  ClusterNotFound: either(
    "a listed cluster is not a managed cluster, or a selector is invalid; a warning if only some files are given",
  ),
  ClusterTopologyUnknown: warning("clusters do not report whether they have a single node"),
  ClusterVersionUnknown: warning("clusters do not report their version"),
  DeprecatedConfigMap: warning("values come from TALM's deprecated ConfigMap"),
  EnableTimeInvalid: error("the annotation that enables the rollout has an unknown value"),
  EnableWindowMissing: error("no usable window decides when the rollout is enabled"),
  ClockDiffers: warning("hubrelay's clock and the hub's differ by more than 60 s, so no window opens"),
  EnableWindowsApart: error("the windows of the clusters are never open at the same time"),
  FieldMissing: warning("a policy's object lacks a field that pre-caching needs"),
  HubVersionUnknown: warning("the hub's version is unknown, so that of the clusters is not compared with it"),
  InvalidBandwidth: error("the value of an annotation is not a bandwidth"),
  InvalidLimit: error("the value of an annotation is not a limit"),
  InvalidPlatformImage: error("the release image cannot be determined"),
  MaxConcurrencyIgnored: warning("maxConcurrency is not positive, and all clusters may run at the same time"),
  MaxConcurrencyMissing: warning("maxConcurrency is missing, and the API server requires it"),
  NodesOfOtherArchitecture: warning("clusters have nodes of another architecture than the release"),
  NoClusterSelected: warning("no cluster is selected"),
  NoRoom: warning("clusters do not have room for the images"),
  NotAllManagedPoliciesExist: either(
    "a managed policy is missing or invalid; a warning if only some files are given",
  ),
  IndexNotAllowed: warning("the hardened profile pulls no catalog from this repository"),
  OverrideIgnored: warning("the hardened profile does not use this override"),
  OverrideImageInvalid: error("an image in the overrides is not an image reference"),
  PackageAsMap: warning("a package without quotes is a map in YAML"),
  PackageEntryInvalid: warning("an entry is not `package:channel`"),
  PackagesWithoutIndex: warning("packages are named, but no index that contains them"),
  PatternEmpty: warning("a pattern is empty and has no effect"),
  PatternInvalid: warning("grep refuses the pattern"),
  PatternMatchesAll: warning("a pattern leaves out every image of a release"),
  PatternMatchesNothing: warning("a pattern is in the name of no image, and has no effect"),
  PatternTooCostly: error("grep could take too much memory or time for the pattern"),
  PolicyEnforced: warning("a managed policy is enforced and is skipped"),
  PolicyInvalid: error("a managed policy cannot be read"),
  PreCachingByBoth: error("TALM and hubrelay are both requested to pre-cache"),
  PreCachingConfigMissing: either(
    "the PreCachingConfig does not exist; a warning if only some files are given",
  ),
  PrecachedImagesVerified: warning("the kubelet asks the registry for images that were pre-cached"),
  PreflightOnly: warning("a ClusterVersion only checks an update, and its release is not pre-cached"),
  ReferenceForm: warning("the reference to the PreCachingConfig is not one object"),
  RequireReadyInvalid: error("the annotation that requires ready images has an unknown value"),
  RolloutBeforePrecaching: warning("the rollout began before pre-caching"),
  SelectorEmptyValue: warning("an entry of clusterSelector has no value, and selects only an empty label"),
  SelectorIgnored: warning("an entry of clusterSelector is ignored"),
  SpaceInBytes: warning("the space has no unit and is read as bytes"),
  SpaceRequiredInvalid: error("spaceRequired is not an amount of space"),
  SpaceRequiredTooSmall: warning("the images need more than spaceRequired"),
  SpecInconsistent: error("the values for pre-caching are incomplete"),
  TalmFails: error("TALM fails with these objects, without a condition; no longer reported"),
  TemplatedField: warning("a policy's field is a template that is resolved only on the cluster"),
  TimeoutIgnored: warning("the timeout is not positive, and the default is used"),
  UnresolvableDependency: error("a managed policy depends on a later one"),
  VersionSkew: warning("clusters are more than two minor versions behind the hub"),
  WrongType: error("a field of the PreCachingConfig has a value of another type"),
};

const ofReadiness = {
  CatalogEntryMissing: error("a catalog does not have the package or channel, or cannot be read completely"),
  CatalogNameTooLong: error("the name of a catalog does not fit in a label, so that OLM cannot use it"),
  CatalogUnreadable: error("the content of a catalog is not known"),
  MirroredByDigestAndTag: warning("a source has the same mirror for digests and for tags"),
  MirroredCatalogByTag: warning("a catalog is named by its tag, so that a new one is not noticed"),
  NotOfOcMirror: warning("an object is of a kind that oc-mirror does not write, and is left out"),
  RegistryAccessEnds: warning(
    "a registry's certificate, a bundle of certificate authorities or a token of the pull secret ends soon",
  ),
  RegistryUnresponsive: warning("a registry that nodes ask before others does not respond"),
  ReleaseNotSigned: either("no ConfigMap has a signature of the release; an error with `--disconnected`"),
  ReleaseOfOtherArchitecture: error("the release is for nodes of another architecture"),
  ReleaseUnreadable: error("the images of a release are not known"),
  StaleMirrorSet: warning("a mirror object of an earlier run of oc-mirror has other mirrors for a source"),
  UnreadableImageName: error("an image is not named so that a node could pull it"),
};

const ofWindows = {
  EitherDay: warning("the schedule sets day of month and day of week, of which one is enough"),
  InvalidDate: error("a freeze has no valid date, or ends before it begins"),
  InvalidDuration: error("the duration cannot be read, is zero, or is longer than a year"),
  InvalidEnd: error("atEnd has an unknown value"),
  InvalidSchedule: error("the schedule is not a cron expression"),
  InvalidSelector: error("the cluster selector is invalid"),
  NeverOpens: error("the window has no opening"),
  OverlappingOpenings: warning(
    "openings overlap or never end, so that the window is open for longer than its duration",
  ),
  UnknownTimeZone: error("the time zone is unknown"),
  WindowMissing: either("a named MaintenanceWindow does not exist; a warning if only some files are given"),
  WindowUnusable: either("a named MaintenanceWindow is invalid; a warning if only some files are given"),
};

const ofHostedClusters = {
  AmbiguousOverrides: warning("HyperShift chooses at random between two overrides"),
  AmbiguousReplacement: warning("a component of a release has another name by chance, or in another release"),
  ArchitectureNotInRelease: warning("the release of a node pool is for another architecture than its nodes"),
  AuthoritiesForbidden: warning("hubrelay may not read the authorities of registries"),
  BelowCapabilityRelease: warning("a disabled capability is always installed in the target release"),
  CapabilityDataKept: warning("a disabled capability left a volume or bucket that may contain data"),
  CapabilityIncomplete: warning("an object is missing although its capability is enabled"),
  CapabilityLeftover: warning("an object exists although its capability is disabled"),
  CapabilityNotInTable: warning("the guest has a capability that hubrelay does not know"),
  CapabilityNotSupported: warning("the cluster's release cannot turn the capability on or off"),
  CatalogNotByDigest: either("an annotation names a catalog without its digest; a warning in `validate`"),
  CatalogNotFound: error("a registry does not have a catalog"),
  CatalogsIncomplete: either("annotations name some of the catalogs only; a warning in `validate`"),
  CatalogsNotFound: warning("the mirrors do not have all catalogs, so none is changed"),
  ControlPlaneImmutable: error("the HostedControlPlane has another value in an immutable field"),
  DeadAnnotation: warning("the annotation is about a catalog that no longer exists"),
  DroppedPair: warning("a source and its mirror are left out of the overrides"),
  DuplicateSource: warning("a source has several entries in imageContentSources"),
  DuplicateValue: error("a list has a value twice"),
  EmptyCapabilities: warning("an empty list keeps HyperShift from creating the cluster"),
  ForbiddenValue: error("the field must not be set; no longer reported"),
  GuestLocked: error("the guest's admission policies refuse hubrelay's writes"),
  HubMirrorsPassedOn: warning(
    "HyperShift passes the hub's mirrors on to a control plane that should have none",
  ),
  IgnoredAnnotation: warning("HyperShift does not read the annotation where the catalogs run in the guest"),
  IgnoredKind: warning("HyperShift does not read this kind"),
  IgnoredOverride: warning("HyperShift does not look up the source of this override"),
  IgnoredPolicy: warning("HyperShift does not read mirrorSourcePolicy"),
  ImmutableField: error("the field cannot be changed"),
  ImplicitlyEnabled: warning("a capability is on in the guest without being requested"),
  InvalidTarget: warning("no catalog's address can begin with the target of this override"),
  InvalidValue: error("the value breaks a rule of the API"),
  MissingDependency: error("an enabled capability requires one that is disabled"),
  NoMirrors: warning("an entry of imageContentSources has no mirrors"),
  OlderCatalog: warning("the mirror has a catalog for an older release only"),
  ReadDifferently: warning("HyperShift and hubrelay interpret an override differently"),
  RegistryRemovedByConfig: warning("the registry is removed by its own configuration, not by the capability"),
  ReleaseNotFound: error("the release image cannot be read"),
  ReleaseNotInTable: warning("hubrelay does not know the capabilities of the release"),
  ReleaseUnknown: warning("the release is unknown, so the capabilities are those of the newest"),
  RenamedCatalog: warning("the mirror has a catalog under another name, which no override can express"),
  RepeatedPair: warning(
    "another rule has the mirror for the same source; no longer reported, since nothing is lost",
  ),
  RollsNodes: warning("a change replaces or drains nodes of a hosted cluster"),
  RuleNotEvaluated: warning("a rule of the CRD could not be evaluated; no longer reported"),
  RulesNotChecked: warning("rules of the CRD were not checked because of other errors; no longer reported"),
  SharedControlPlaneNamespace: warning("two control planes would be in one namespace"),
  SourceIgnoredByRelease: warning(
    "the control plane's release does not take the mirrors of a registry or namespace",
  ),
  StaysEnabled: warning("a disabled capability stays on after the upgrade"),
  TooLong: error("the value is too long"),
  TooMany: error("the list is too long; no longer reported"),
  TooManyContentSources: error("the mirrors exceed the limits of imageContentSources"),
  UnknownVersion: warning("the version of the release is unknown"),
  UnreadablePause: warning("HyperShift cannot read pausedUntil and pauses nothing"),
  UnsupportedPoolConfig: error(
    "a ConfigMap of a node pool contains what HyperShift refuses, and its whole spec.config with it",
  ),
  UnsupportedSkew: warning("the version of a node pool is newer than its control plane's, or too old for it"),
  UnsupportedValue: error("the value is not one of the supported ones"),
  UnusablePair: warning(
    "HyperShift cannot make an image name of a source and its mirror, and skips the mirror",
  ),
  UnusedTuning: warning("a NodePool has tuning although NodeTuning is disabled"),
  UselessOverride: warning("no default catalog has an address with the source of this override"),
};

/** Every issue code with its severity and meaning, by what the issue is about. A code never changes its meaning. */
export const issueCodes = {
  "Files and objects": ofFilesAndObjects,
  Mirrors: ofMirrors,
  "Pre-caching": ofPrecaching,
  "Readiness and import": ofReadiness,
  "Maintenance windows": ofWindows,
  "Hosted clusters": ofHostedClusters,
};

type Sections = typeof issueCodes;

export type IssueCode = { [Title in keyof Sections]: keyof Sections[Title] }[keyof Sections];
