/** Issue codes about files, objects and mirrors. Form of a row: `issue-codes.ts`. */
export const ofFilesAndObjects = {
  DuplicateObject:
    "either: the object is defined more than once. Fix: keep one of the objects, or rename the others",
  HubNotAsked:
    "warning: the hub's API server could not check the object. Fix: log in with permission to write",
  InvalidAcceptance:
    "error: a comment that accepts an issue cannot be read, and accepts nothing. Fix: write `# hubrelay:accept CODE until=2026-12-31 REASON`",
  InvalidAnnotation:
    "error: an annotation that requests something from hubrelay has an unknown value. Fix: write one of the values that the message names, or remove the annotation",
  InvalidManifest:
    "error: a file is not valid YAML or JSON, or an object lacks a field that every object has. Fix: begin each object with apiVersion, kind and metadata.name; check quotes and indentation",
  InvalidMaxCost:
    "error: an allowed cost is not one of the costs. Fix: write `none`, `reload`, `drain`, `reboot` or `replace`",
  InvalidName:
    "error: no API server accepts the object's name or namespace. Fix: write lower-case letters, digits, `-` and `.`, as the API server requires",
  InvalidReference:
    "error: a release or catalog is not an image reference. Fix: write host[:port]/path:tag or host[:port]/path@digest",
  InvalidSetting:
    "error: a setting of `.hubrelay.yaml` is invalid. Fix: write what the message names; `hubrelay config` shows what is in force",
  InvalidType:
    "error: a field has a value of another type. Fix: write a value of the type that the message names",
  InvalidVersion:
    "either: the version of a release has another format; a warning in `validate` if it is that of a HostedCluster. Fix: write it like 4.20.4",
  LoginLeftToProgram:
    "warning: the login of a registry is in a credential helper, which hubrelay does not run. Fix: write the login to a file with `podman login --authfile`, and use that as pull secret",
  MissingField: "error: a required field is missing. Fix: add the field",
  NotRendered:
    "warning: kustomize or Helm makes other manifests of these files than they have. Fix: name the folder with `-k` or `--helm`, or pipe what these programs print",
  NotCovered:
    "error: with `--require-coverage`: something was not read, or is assumed. Fix: add what is assumed to the input, and remove what is not read; see [coverage](coverage.md)",
  ObjectTooLargeForApply:
    "warning: `kubectl apply` refuses an object of this size. Fix: use `kubectl apply --server-side`, or split the object",
  RefusedByHub:
    "error: the hub's API server refuses the object. Fix: change what the API server's message names",
  RenderFailed:
    "error: kustomize or Helm cannot render a folder of `-k` or `--helm`. Fix: run the command that the message names, and correct what it reports",
  SkippedPath:
    "warning: a path in the hub's folder is not a file or folder that can be read. Fix: make the path readable for hubrelay, or remove it",
  TakeOverRefused:
    "error: another program still writes what hubrelay is requested to take over. Fix: stop the other program first, or remove the annotation",
  UnknownAnnotation:
    "warning: hubrelay has no annotation of this name. Fix: correct the name, or remove the annotation",
  UnknownField: "either: the kind has no such field. Fix: remove the field, or correct its name",
  UnreadableFile: "error: a file cannot be read. Fix: make the file readable for hubrelay, or split it",
  UnreadableObject:
    "error: hubrelay itself failed while it read the object, which is a bug. Fix: report it as a bug, with the object; the other objects are read",
  WrongApiVersion:
    "error: the kind is not served in this version of its API. Fix: write the apiVersion that the message names",
} as const;

export const ofMirrors = {
  AllowedAndBlocked:
    "error: the lists of Image `cluster` allow and block at the same time. Fix: remove one of the two lists",
  AssumedPayloadRejected:
    "warning: the release is not known, and the lists reject the repositories of OpenShift's releases. Fix: allow these repositories, or name the release with the ClusterVersion or `--release-image`",
  ChangedMeaning:
    "warning: conversion splits the object, and the parts work only together. Fix: create all converted objects together",
  ConflictScopes:
    "warning: the scope of a signature policy has no effect: a ClusterImagePolicy covers that of an ImagePolicy, or, with 4.16, it contains the release payload. Fix: remove the scope, from one of the two policies if there are two",
  ConflictingMirrorSourcePolicy:
    "error: two rules of one source have different mirrorSourcePolicy. Fix: give every rule of the source the same mirrorSourcePolicy",
  ContradictingOrder:
    "warning: rules of one source contradict each other, and the order of this one is lost. Fix: write all mirrors of the source into one rule, in the order that you want",
  CredentialProviderChanges:
    "warning: logins of namespaces change, and with them the kubelet's configuration. Fix: expect a restart of the kubelet on every node",
  DeprecatedKind:
    "warning: the kind is deprecated in favour of another. Fix: convert it with `hubrelay convert`",
  DuplicateMirror: "either: a rule lists a mirror twice. Fix: remove the repetition",
  DuplicateName:
    "either: conversion makes two objects of one name; an error if their rules differ. Fix: rename one of the objects, or put the rules of both into one",
  GuardFailedOpen:
    "warning: machine-config-operator blocks no registry, since its own check fails. Fix: fix the cause that the message names",
  HidesMirrors:
    "warning: a source has mirrors of its own and does not use those of the source around it. Fix: add the mirrors of the outer source to this one, if they are meant to serve it",
  InvalidImagePolicy:
    "error: the API server refuses the signature policy. Fix: change the field that the message names",
  InvalidMirror:
    "either: a mirror is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write. Fix: write the mirror as host[:port]/path, without tag and digest",
  InvalidMirrorSourcePolicy:
    "error: mirrorSourcePolicy has an unknown value. Fix: write `AllowContactingSource` or `NeverContactSource`, or leave it out",
  InvalidNodeFile:
    "error: the container runtime of a node refuses the file, and pulls no image. Fix: correct the file as the message says, or remove it",
  InvalidPoolSelector:
    "error: machine-config-operator cannot read the selector of a MachineConfigPool, and stops at it. Fix: write matchLabels and matchExpressions as Kubernetes has them",
  InvalidReleaseImage:
    "either: the release image of the cluster cannot be parsed. Fix: write the release image as host/path@digest",
  InvalidScope:
    "either: a registry in a list of Image `cluster` is invalid; an error if it cannot be rendered. Fix: write a registry, namespace, repository or `*.` with a domain",
  ImagePolicyNotRead:
    "warning: the release of the cluster reads no ImagePolicies. Fix: write a ClusterImagePolicy, or update the cluster to 4.18 or newer",
  InternalRegistryNotAllowed:
    "warning: the cluster's own image registry is not among the allowed registries. Fix: add the cluster's registry to `allowedRegistries`",
  InvalidSource:
    "either: a source is not a location that can be rendered; a warning in a HostedCluster whose guest hubrelay does not write. Fix: write the source as host[:port][/path] or `*.` with a domain, without tag and digest",
  KindWithoutEffect:
    "warning: the object can be created, but nothing reads it. Fix: write its rules as ImageDigestMirrorSet and ImageTagMirrorSet",
  MachineConfigLarge:
    "warning: the MachineConfig takes much of the size that a pool's MachineConfigs may have. Fix: remove rules or policies that are not needed before the limit is reached",
  MachineConfigTooLarge:
    "either: a pool's MachineConfigs may not have this size; a warning in verify mode. Fix: remove rules or policies that are not needed",
  MirrorBlocked:
    "warning: a mirror is never used, since it is blocked or not allowed. Fix: remove the mirror, or open its registry in Image `cluster`",
  MirrorBreaksPayload:
    "either: with this mirror every pull of the release payload fails; a warning in verify mode. Fix: give the mirror a path: host[:port]/path",
  MirrorBreaksPulls:
    "warning: with this mirror every pull of the source fails. Fix: give the mirror a full host name and a path",
  NameWithoutEffect:
    "either: OpenShift reads only the object of another name of this kind. Fix: give it the name that the message names",
  NeverContactSourceNotInherited:
    "warning: a scope may be contacted although the source around it must not. Fix: add a rule for the scope with `NeverContactSource`",
  NeverMatches: "warning: a source or scope matches no image. Fix: write the registry's host in full",
  NewerNamespaceNotMirrored:
    "warning: a namespace of the release has no mirror, unlike that of OpenShift 4. Fix: add a rule for the namespace that the message names",
  NotConvertible:
    "error: the kind cannot be converted. Fix: leave the object out; only ICSP and the older source policies are converted",
  OldRegistriesConf:
    "warning: registries.conf has version 1 of the format, which podman 6 refuses. Fix: write unqualified-search-registries and `[[registry]]` tables",
  OnlyPayloadAllowed:
    "either: with these lists nodes reject every image but those of the release payload; an error in own mode. Fix: block by one scope less, or by one more, as the message says",
  OtherMachineConfig:
    "warning: another MachineConfig differs in more than files of the mirror configuration, whose cost is not part of the result. Fix: add its cost; most changes of a MachineConfig reboot",
  OverriddenByMachineConfig:
    "either: a MachineConfig writes a file or entry that nodes use instead of the rendered one, so that mirror rules or lists have no effect; an error if no rule is left. Fix: remove the file from the MachineConfig, or write a drop-in with only the entries that differ",
  PayloadBlocked:
    "warning: an entry would block the release payload, so it blocks nothing. Fix: mirror the release to a location that is not blocked, or remove the entry",
  PayloadNotAllowed:
    "either: the release payload is not among the allowed registries; a warning in verify mode. Fix: add the release's repositories to `allowedRegistries`",
  PayloadRejected:
    "either: machine-config-operator's policy.json rejects images of the release, since it exempts only the release image; an error in own mode. Fix: use `NeverContactSource` in the release's mirror rules instead of the blocked entry",
  PayloadUnreachable:
    "either: the release payload could not be pulled from anywhere; a warning in verify mode. Fix: add a digest mirror that has the release, or allow contacting the source",
  PolicyScopeBlocked:
    "error: the scope of a signature policy is blocked. Fix: remove the scope from `blockedRegistries`, or from the policy",
  PolicyScopeNotAllowed:
    "error: the scope of a signature policy is not allowed. Fix: add the scope to `allowedRegistries`, or remove it from the policy",
  PolicyScopeOfMirror:
    "warning: a signature policy is about a mirror, and images that pods name by the source are not verified. Fix: add the source to the scopes of the policy",
  PolicyScopeUnusable:
    "error: the mirrors of a signature policy's scope cannot be looked up. Fix: give the mirror a path and a full host name, or remove the scope",
  RefusedMachineConfig:
    "error: machine-config-operator refuses the MachineConfig: its pool is RenderDegraded, and no change reaches the nodes. Fix: correct the file or the version of Ignition as the message says",
  ReleaseAssumed:
    "warning: the release of the cluster is not known, so the form of another is used. Fix: add the ClusterVersion with its status, or give `--release-version`",
  ReleaseImagesUnknown:
    "warning: it is not known where the images in the release are, so only the release image is checked. Fix: check the others yourself, or let mirror-config read their names on a hub",
  ReplacedNodeFile:
    "warning: a file of a MachineConfig has no effect, since the generated MachineConfig, whose name is later, writes it too. Fix: remove the file, or write a drop-in of registries.conf.d with the entries that nodes lack",
  RuleWithoutMirrors: "warning: a rule has no mirror and no effect. Fix: list mirrors, or remove the rule",
  SeveralClusters:
    "warning: folders or policies define an object differently, as those of several clusters do, and no settings say which. Fix: name the clusters in `.hubrelay.yaml`, as `hubrelay config propose` prints them",
  SignatureNameNeedsTag:
    "warning: by default, or with RemapIdentity, a signature is refused whose name has neither tag nor digest. Fix: set the matchPolicy that fits the signer: `MatchRepository` for cosign, `ExactRepository` instead of `RemapIdentity`",
  SourceBlocked:
    "warning: images of the source are rejected, since it is blocked. Fix: remove the source from `blockedRegistries`, or remove the rule",
  SourceIsOwnMirror:
    "error: a source that must not be contacted is one of its own mirrors. Fix: remove the mirror, or allow contacting the source",
  SourceNotAllowed:
    "warning: images of the source are rejected, since it is not allowed. Fix: add the source to `allowedRegistries`, or remove the rule",
  SupersededKind:
    "warning: the kind was superseded before it shipped, and OpenShift does not read it. Fix: convert it with `hubrelay convert`",
  TrustedCaNotApplied:
    "warning: nodes do not trust a registry although Image `cluster` names a ConfigMap with a certificate. Fix: create the ConfigMap in `openshift-config`, with the key `host..port` for a mirror with a port",
  UnknownKind: "error: the API has no such kind. Fix: correct the kind's name",
  UnloadableRegistries:
    "error: nodes could not load the rendered registries.conf. Fix: change the scope that the reason names",
  UnreadNodeFile:
    "warning: a MachineConfig writes a file that hubrelay cannot read. Fix: write the content into the MachineConfig, as a `data:` URL of at most 4 MiB",
  UnusableKey:
    "warning: nodes cannot read a key or certificate of a signature policy, and pull no image of its scopes. Fix: write the base64 of the file with the key or certificate",
  WildcardSourceNested:
    "error: a wildcard source covers a blocked or insecure scope without mirrors of its own. Fix: give the scope mirrors of its own, or name the hosts instead of the wildcard",
  WrongField: "error: the rules are in a field of another kind. Fix: rename the field as the message says",
} as const;
