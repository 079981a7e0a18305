/** Issue codes about files, objects and mirrors. `issue-codes.ts` explains the rows. */
export const ofFilesAndObjects = {
  DuplicateObject: "either: the object is defined more than once",
  HubNotAsked: "warning: the hub's API server could not check the object",
  InvalidAcceptance: "error: a comment that accepts an issue cannot be read, and accepts nothing",
  InvalidAnnotation: "error: an annotation that requests something from hubrelay has an unknown value",
  InvalidManifest:
    "error: a file is not valid YAML or JSON, or an object lacks a field that every object has",
  InvalidMaxCost: "error: an allowed cost is not one of the costs",
  InvalidName: "error: no API server accepts the object's name or namespace",
  InvalidReference: "error: a release or catalog is not an image reference",
  InvalidSetting: "error: a setting of `.hubrelay.yaml` is invalid",
  InvalidType: "error: a field has a value of another type",
  InvalidVersion:
    "either: the version of a release has another format; a warning in `validate` if it is that of a HostedCluster",
  MissingField: "error: a required field is missing",
  NotRendered: "warning: kustomize or Helm makes other manifests of these files than they have",
  NotCovered: "error: with `--require-coverage`: something was not read, or is assumed",
  ObjectTooLargeForApply: "warning: `kubectl apply` refuses an object of this size",
  RefusedByHub: "error: the hub's API server refuses the object",
  RenderFailed: "error: kustomize or Helm cannot render a folder of `-k` or `--helm`",
  SkippedPath: "warning: a path in the hub's folder is not a file or folder that can be read",
  TakeOverRefused: "error: another program still writes what hubrelay is requested to take over",
  UnknownAnnotation: "warning: hubrelay has no annotation of this name",
  UnknownField: "either: the kind has no such field",
  UnreadableFile: "error: a file cannot be read",
  UnreadableObject: "error: hubrelay itself failed while it read the object, which is a bug",
  WrongApiVersion: "error: the kind is not served in this version of its API",
} as const;

export const ofMirrors = {
  AllowedAndBlocked: "error: the lists of Image `cluster` allow and block at the same time",
  AssumedPayloadRejected:
    "warning: the release is not known, and the lists reject the repositories of OpenShift's releases",
  ChangedMeaning: "warning: conversion splits the object, and the parts work only together",
  ConflictScopes:
    "warning: the scope of a signature policy has no effect: a ClusterImagePolicy covers that of an ImagePolicy, or, with 4.16, it contains the release payload",
  ConflictingMirrorSourcePolicy: "error: two rules of one source have different mirrorSourcePolicy",
  ContradictingOrder: "warning: rules of one source contradict each other, and the order of this one is lost",
  CredentialProviderChanges:
    "warning: logins of namespaces change, and with them the kubelet's configuration",
  DeprecatedKind: "warning: the kind is deprecated in favour of another",
  DuplicateMirror: "either: a rule lists a mirror twice",
  DuplicateName: "either: conversion makes two objects of one name; an error if their rules differ",
  GuardFailedOpen: "warning: machine-config-operator blocks no registry, since its own check fails",
  HidesMirrors: "warning: a source has mirrors of its own and does not use those of the source around it",
  InvalidImagePolicy: "error: the API server refuses the signature policy",
  InvalidMirror:
    "either: a mirror is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write",
  InvalidMirrorSourcePolicy: "error: mirrorSourcePolicy has an unknown value",
  InvalidNodeFile: "error: the container runtime of a node refuses the file, and pulls no image",
  InvalidPoolSelector:
    "error: machine-config-operator cannot read the selector of a MachineConfigPool, and stops at it",
  InvalidReleaseImage: "either: the release image of the cluster cannot be parsed",
  InvalidScope:
    "either: a registry in a list of Image `cluster` is invalid; an error if it cannot be rendered",
  ImagePolicyNotRead: "warning: the release of the cluster reads no ImagePolicies",
  InternalRegistryNotAllowed: "warning: the cluster's own image registry is not among the allowed registries",
  InvalidSource:
    "either: a source is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write",
  KindWithoutEffect: "warning: the object can be created, but nothing reads it",
  MachineConfigLarge:
    "warning: the MachineConfig takes much of the size that a pool's MachineConfigs may have",
  MachineConfigTooLarge: "either: a pool's MachineConfigs may not have this size; a warning in verify mode",
  MirrorBlocked: "warning: a mirror is never used, since it is blocked or not allowed",
  MirrorBreaksPayload:
    "either: with this mirror every pull of the release payload fails; a warning in verify mode",
  MirrorBreaksPulls: "warning: with this mirror every pull of the source fails",
  NameWithoutEffect: "either: OpenShift reads only the object of another name of this kind",
  NeverContactSourceNotInherited: "warning: a scope may be contacted although the source around it must not",
  NeverMatches: "warning: a source or scope matches no image",
  NewerNamespaceNotMirrored: "warning: a namespace of the release has no mirror, unlike that of OpenShift 4",
  NotConvertible: "error: the kind cannot be converted",
  OldRegistriesConf: "warning: registries.conf has version 1 of the format, which podman 6 refuses",
  OnlyPayloadAllowed:
    "either: with these lists nodes reject every image but those of the release payload; an error in own mode",
  OtherMachineConfig:
    "warning: another MachineConfig differs in more than files of the mirror configuration, whose cost is not part of the result",
  OverriddenByMachineConfig:
    "either: a MachineConfig writes a file or entry that nodes use instead of the rendered one, so that mirror rules or lists have no effect; an error if no rule is left",
  PayloadBlocked: "warning: an entry would block the release payload, so it blocks nothing",
  PayloadNotAllowed:
    "either: the release payload is not among the allowed registries; a warning in verify mode",
  PayloadRejected:
    "either: machine-config-operator's policy.json rejects images of the release, since it exempts only the release image; an error in own mode",
  PayloadUnreachable:
    "either: the release payload could not be pulled from anywhere; a warning in verify mode",
  PolicyScopeBlocked: "error: the scope of a signature policy is blocked",
  PolicyScopeNotAllowed: "error: the scope of a signature policy is not allowed",
  PolicyScopeOfMirror:
    "warning: a signature policy is about a mirror, and images that pods name by the source are not verified",
  PolicyScopeUnusable: "error: the mirrors of a signature policy's scope cannot be looked up",
  RefusedMachineConfig:
    "error: machine-config-operator refuses the MachineConfig: its pool is RenderDegraded, and no change reaches the nodes",
  ReleaseAssumed: "warning: the release of the cluster is not known, so the form of another is used",
  ReleaseImagesUnknown:
    "warning: it is not known where the images in the release are, so only the release image is checked",
  ReplacedNodeFile:
    "warning: a file of a MachineConfig has no effect, since the generated MachineConfig, whose name is later, writes it too",
  RuleWithoutMirrors: "warning: a rule has no mirror and no effect",
  SeveralClusters:
    "warning: folders or policies define an object differently, as those of several clusters do, and no settings say which",
  SignatureNameNeedsTag:
    "warning: by default, or with RemapIdentity, a signature is refused whose name has neither tag nor digest",
  SourceBlocked: "warning: images of the source are rejected, since it is blocked",
  SourceIsOwnMirror: "error: a source that must not be contacted is one of its own mirrors",
  SourceNotAllowed: "warning: images of the source are rejected, since it is not allowed",
  SupersededKind: "warning: the kind was superseded before it shipped, and OpenShift does not read it",
  TrustedCaNotApplied:
    "warning: nodes do not trust a registry although Image `cluster` names a ConfigMap with a certificate",
  UnknownKind: "error: the API has no such kind",
  UnloadableRegistries: "error: nodes could not load the rendered registries.conf",
  UnreadNodeFile: "warning: a MachineConfig writes a file that hubrelay cannot read",
  UnusableKey:
    "warning: nodes cannot read a key or certificate of a signature policy, and pull no image of its scopes",
  WildcardSourceNested:
    "error: a wildcard source covers a blocked or insecure scope without mirrors of its own",
  WrongField: "error: the rules are in a field of another kind",
} as const;
