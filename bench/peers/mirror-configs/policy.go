package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/containers/image/v5/signature"
	"github.com/openshift/runtime-utils/pkg/registries"
)

// shippedPolicy is the policy.json of a node before anything is configured.
const shippedPolicy = `{"default":[{"type":"insecureAcceptAnything"}],` +
	`"transports":{"docker-daemon":{"":[{"type":"insecureAcceptAnything"}]}}}`

// The most slashes in a scope of the transports "atomic" and "docker".
const (
	deepestAtomicScope = 2
	anyDepth           = 1 << 20
)

// policyJSON returns the text of policy.json for blocked and allowed scopes, nil if machine-config-operator writes none.
// The steps are copied from the operator; the types and their text are the library's.
func (v verdict) policyJSON(signed signatures, compact bool) ([]byte, error) {
	if v.policyBlocked == nil && v.allowed == nil && len(signed.cluster) == 0 && len(signed.namespaced) == 0 {
		return nil, nil
	}
	if len(v.allowed) > 0 && len(v.policyBlocked) > 0 {
		if len(v.allowed) != 1 || v.payload == nil || v.allowed[0] != v.payload.Name() {
			return nil, errors.New("invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified")
		}
	}
	if err := v.checkScopes("clusterimagePolicy", signed.cluster); err != nil {
		return nil, err
	}
	if v.policyBlocked == nil && v.allowed == nil && len(signed.cluster) == 0 {
		return []byte(shippedPolicy), nil
	}
	for _, scope := range v.policyBlocked {
		if !registries.IsValidRegistriesConfScope(scope) {
			return nil, fmt.Errorf("invalid entry for blocked registries %q", scope)
		}
	}

	policy, err := signature.NewPolicyFromBytes([]byte(shippedPolicy))
	if err != nil {
		return nil, err
	}
	accept := signature.PolicyRequirements{signature.NewPRInsecureAcceptAnything()}
	reject := signature.PolicyRequirements{signature.NewPRReject()}
	docker, atomic := signature.PolicyTransportScopes{}, signature.PolicyTransportScopes{}
	if len(v.allowed) > 0 {
		policy.Default = reject
	}
	for _, scope := range v.allowed {
		if !hasScope(signed.cluster, scope) {
			docker[scope] = accept
		}
	}
	if len(v.policyBlocked) > 0 {
		policy.Default = accept
	}
	for _, scope := range v.policyBlocked {
		docker[scope] = reject
	}
	addTo(docker, signed.cluster, anyDepth)
	for scope, requirements := range docker {
		if strings.Count(scope, "/") <= deepestAtomicScope {
			atomic[scope] = requirements
		}
	}
	if len(docker) > 0 {
		policy.Transports["docker"], policy.Transports["atomic"] = docker, atomic
	}
	if compact {
		return json.Marshal(policy)
	}
	return json.MarshalIndent(policy, "", "  ")
}

func hasScope(policies []scoped, scope string) bool {
	for _, one := range policies {
		if one.scope == scope {
			return true
		}
	}
	return false
}
