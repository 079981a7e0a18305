package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/containers/image/v5/docker/reference"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/signature"
	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/runtime-utils/pkg/registries"
)

// scoped is one scope of an image policy; the namespace is empty for a cluster-wide one.
type scoped struct {
	namespace, scope string
	requirement      signature.PolicyRequirement
}

// signatures has the scopes in force, in the order of the objects. The operator visits them in the random order of a Go
// map; which of several refusals it reports is therefore not defined.
type signatures struct{ cluster, namespaced []scoped }

// signatures reads the image policies: one that cannot be used refuses everything, and a namespace's scope that a
// cluster-wide one covers is skipped.
func (c *configuration) signatures() (signatures, error) {
	var found signatures
	for _, object := range c.ClusterImagePolicies {
		requirement, err := requirementOf(object.Spec.Policy)
		if err != nil {
			return found, err
		}
		for _, scope := range object.Spec.Scopes {
			found.cluster = append(found.cluster, scoped{scope: string(scope), requirement: requirement})
		}
	}
	for _, object := range c.ImagePolicies {
		requirement, err := requirementOf(object.Spec.Policy)
		if err != nil {
			return found, err
		}
		for _, scope := range object.Spec.Scopes {
			if !isCovered(string(scope), found.cluster) {
				found.namespaced = append(found.namespaced, scoped{object.Namespace, string(scope), requirement})
			}
		}
	}
	return found, nil
}

func isCovered(scope string, by []scoped) bool {
	for _, outer := range by {
		if registries.ScopeIsNestedInsideScope(scope, outer.scope) {
			return true
		}
	}
	return false
}

// requirementOf builds the library's requirement. Roots of the type PKI are left to newer libraries.
func requirementOf(policy configv1.ImageSigstoreVerificationPolicy) (signature.PolicyRequirement, error) {
	identity, err := identityOf(policy.SignedIdentity)
	if err != nil {
		return nil, err
	}
	options := []signature.PRSigstoreSignedOption{signature.PRSigstoreSignedWithSignedIdentity(identity)}
	switch trust := policy.RootOfTrust; trust.PolicyType {
	case configv1.PublicKeyRootOfTrust:
		options = append(options, signature.PRSigstoreSignedWithKeyData(trust.PublicKey.KeyData))
		if len(trust.PublicKey.RekorKeyData) > 0 {
			options = append(options, signature.PRSigstoreSignedWithRekorPublicKeyData(trust.PublicKey.RekorKeyData))
		}
	case configv1.FulcioCAWithRekorRootOfTrust:
		given := trust.FulcioCAWithRekor
		fulcio, err := signature.NewPRSigstoreSignedFulcio(
			signature.PRSigstoreSignedFulcioWithCAData(given.FulcioCAData),
			signature.PRSigstoreSignedFulcioWithOIDCIssuer(given.FulcioSubject.OIDCIssuer),
			signature.PRSigstoreSignedFulcioWithSubjectEmail(given.FulcioSubject.SignedEmail),
		)
		if err != nil {
			return nil, err
		}
		options = append(options, signature.PRSigstoreSignedWithFulcio(fulcio),
			signature.PRSigstoreSignedWithRekorPublicKeyData(given.RekorKeyData))
	}
	return signature.NewPRSigstoreSigned(options...)
}

func identityOf(identity *configv1.PolicyIdentity) (signature.PolicyReferenceMatch, error) {
	if identity == nil {
		return signature.NewPRMMatchRepoDigestOrExact(), nil
	}
	switch identity.MatchPolicy {
	case configv1.IdentityMatchPolicyMatchRepository:
		return signature.NewPRMMatchRepository(), nil
	case configv1.IdentityMatchPolicyExactRepository:
		return signature.NewPRMExactRepository(string(identity.PolicyMatchExactRepository.Repository))
	case configv1.IdentityMatchPolicyRemapIdentity:
		remap := identity.PolicyMatchRemapIdentity
		return signature.NewPRMRemapIdentity(string(remap.Prefix), string(remap.SignedPrefix))
	default:
		return signature.NewPRMMatchRepoDigestOrExact(), nil
	}
}

// checkScopes refuses image policies that the lists of the Image configuration contradict.
func (v verdict) checkScopes(kind string, policies []scoped) error {
	for _, one := range policies {
		if len(v.allowed) > 0 && !nestedInAny(one.scope, v.allowed) {
			return fmt.Errorf("%s configured for the scope %s is not nested inside allowedRegistries", kind, one.scope)
		}
	}
	for _, one := range policies {
		if nestedInAny(one.scope, v.policyBlocked) {
			return fmt.Errorf("%s configured for the scope %s is nested inside blockedRegistries", kind, one.scope)
		}
	}
	return nil
}

func addTo(scopes signature.PolicyTransportScopes, policies []scoped, deepest int) {
	for _, one := range policies {
		if strings.Count(one.scope, "/") <= deepest {
			scopes[one.scope] = append(scopes[one.scope], one.requirement)
		}
	}
}

// namespacePolicies returns the policy of each namespace: the cluster's with the requirements of the namespace.
func (v verdict) namespacePolicies(clusterWide []byte, policies []scoped, indent string) (map[string]string, error) {
	if err := v.checkScopes("imagePolicy", policies); err != nil {
		return nil, err
	}
	byNamespace := map[string][]scoped{}
	for _, one := range policies {
		byNamespace[one.namespace] = append(byNamespace[one.namespace], one)
	}
	texts := map[string]string{}
	for namespace, own := range byNamespace {
		policy, err := signature.NewPolicyFromBytes(clusterWide)
		if err != nil {
			return nil, err
		}
		for transport, deepest := range map[string]int{"docker": anyDepth, "atomic": deepestAtomicScope} {
			if policy.Transports[transport] == nil {
				policy.Transports[transport] = signature.PolicyTransportScopes{}
			}
			addTo(policy.Transports[transport], own, deepest)
		}
		text, err := json.MarshalIndent(policy, "", indent)
		if err != nil {
			return nil, err
		}
		texts[namespace] = string(text)
	}
	return texts, nil
}

// attachments returns the sorted scopes whose signatures are looked up as attachments: those of the policies, the
// places that their images can be pulled from, and the same of every entry inside of them. Without a text no entry is
// read.
func (s signatures) attachments(registriesConf []byte) ([]string, error) {
	places := map[string]bool{}
	var conf sysregistriesv2.V2RegistriesConf
	if _, err := toml.NewDecoder(bytes.NewReader(registriesConf)).Decode(&conf); err != nil {
		return nil, err
	}
	for _, one := range append(append([]scoped{}, s.cluster...), s.namespaced...) {
		places[one.scope] = true
		if registriesConf == nil {
			continue
		}
		scopes := []string{one.scope}
		for _, entry := range conf.Registries {
			scope := entry.Prefix
			if scope == "" {
				scope = entry.Location
			}
			if scope != one.scope && registries.ScopeIsNestedInsideScope(scope, one.scope) {
				scopes = append(scopes, scope)
			}
		}
		for _, scope := range scopes {
			if err := addPlaces(places, conf, scope); err != nil {
				if errors.Is(err, errUnloadable) {
					return nil, err
				}
				return nil, fmt.Errorf("error adding clusterimagepolicy scope %s relevant mirrors", one.scope)
			}
		}
	}
	sorted := make([]string, 0, len(places))
	for place := range places {
		sorted = append(sorted, place)
	}
	sort.Strings(sorted)
	return sorted, nil
}

var errUnloadable = errors.New("loading registries configuration")

// addPlaces adds where an image of the scope can be pulled from. The library resolves references only, so that a scope
// without a path, or with a wildcard, is completed for the lookup; the operator does the same.
func addPlaces(places map[string]bool, conf sysregistriesv2.V2RegistriesConf, scope string) error {
	entry, err := findEntry(conf, scope)
	if err != nil {
		return errUnloadable
	}
	if entry == nil {
		return nil
	}
	name, added := scope, ""
	if strings.HasPrefix(name, "*.") {
		name = "matched" + name[1:]
	}
	if !strings.Contains(name, "/") {
		added = "/a"
		name += added
	}
	parsed, err := reference.Parse(name)
	if err != nil {
		return err
	}
	named, ok := parsed.(reference.Named)
	if !ok {
		return errors.New("no name")
	}
	repository := reference.TrimNamed(named)
	tagged, err := reference.WithTag(repository, "t")
	if err != nil {
		return err
	}
	digested, err := reference.WithDigest(repository, "sha256:"+"0000000000000000000000000000000000000000000000000000000000000000")
	if err != nil {
		return err
	}
	for _, image := range []reference.Named{digested, tagged} {
		sources, err := entry.PullSourcesFromReference(image)
		if err != nil {
			return err
		}
		for _, source := range sources {
			if source.Endpoint.Location != "" {
				places[strings.TrimSuffix(source.Reference.Name(), added)] = true
			}
		}
	}
	return nil
}
