package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
	"github.com/containers/image/v5/docker/reference"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/types"
	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/runtime-utils/pkg/registries"
)

// verdict has the scopes to block in each file, and those to allow for the payload.
type verdict struct {
	registriesBlocked, policyBlocked, allowed []string
	payload                                   reference.Named
}

// guard decides as machine-config-operator does once the cluster's release image is known: a scope around the
// payload is blocked only when the payload has a mirror outside all blocked scopes. The decision is
// copied from the operator; entries, lookup and rewriting are those of its libraries.
//
// When the trial configuration does not work, the operator logs why and continues with nothing blocked.
func (c *configuration) guard() (verdict, error) {
	if c.ReleaseImage == nil {
		blocked := append([]string(nil), c.Blocked...) // nil when empty, as the operator's lists are
		return verdict{registriesBlocked: blocked, policyBlocked: blocked}, nil
	}
	payload, err := reference.ParseNamed(*c.ReleaseImage)
	if err != nil {
		return verdict{}, errors.New("error parsing reference of release image")
	}
	v := verdict{payload: payload}
	for _, scope := range c.Blocked {
		if !registries.ScopeIsNestedInsideScope(payload.Name(), scope) {
			v.registriesBlocked = append(v.registriesBlocked, scope)
			v.policyBlocked = append(v.policyBlocked, scope)
			continue
		}
		reachable, err := c.reachableElsewhere(payload)
		if err != nil {
			return verdict{payload: payload}, nil
		}
		if !reachable {
			continue
		}
		v.registriesBlocked = append(v.registriesBlocked, scope)
		v.allowed = append(v.allowed, payload.Name())
		if scope != payload.Name() {
			v.policyBlocked = append(v.policyBlocked, scope)
		}
	}
	return v, nil
}

// reachableElsewhere returns true if a runtime would pull the payload from a location outside all blocked scopes.
func (c *configuration) reachableElsewhere(payload reference.Named) (bool, error) {
	digestRules := append([]*configv1.ImageDigestMirrorSet{}, c.IDMS...)
	for _, policy := range c.ICSP {
		set := &configv1.ImageDigestMirrorSet{}
		for _, rule := range policy.Spec.RepositoryDigestMirrors {
			mirrors := make([]configv1.ImageMirror, 0, len(rule.Mirrors))
			for _, mirror := range rule.Mirrors {
				mirrors = append(mirrors, configv1.ImageMirror(mirror))
			}
			set.Spec.ImageDigestMirrors = append(set.Spec.ImageDigestMirrors,
				configv1.ImageDigestMirrors{Source: rule.Source, Mirrors: mirrors})
		}
		digestRules = append(digestRules, set)
	}
	var trial sysregistriesv2.V2RegistriesConf
	if err := registries.EditRegistriesConfig(&trial, c.Insecure, c.Blocked, nil, digestRules, nil); err != nil {
		return false, err
	}
	sources, err := pullSources(trial, payload)
	if err != nil {
		return false, err
	}
	for _, source := range sources {
		if !nestedInAny(source.Reference.Name(), c.Blocked) {
			return true, nil
		}
	}
	return false, nil
}

func nestedInAny(scope string, scopes []string) bool {
	for _, outer := range scopes {
		if registries.ScopeIsNestedInsideScope(scope, outer) {
			return true
		}
	}
	return false
}

// pullSources calls the runtime's own library.
func pullSources(conf sysregistriesv2.V2RegistriesConf, named reference.Named) ([]sysregistriesv2.PullSource, error) {
	entry, err := findEntry(conf, named.Name())
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, fmt.Errorf("no entry matches %q", named.Name())
	}
	return entry.PullSourcesFromReference(named)
}

// findEntry calls the runtime's own library, which only reads files.
func findEntry(conf sysregistriesv2.V2RegistriesConf, name string) (*sysregistriesv2.Registry, error) {
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(conf); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "registries")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "registries.conf")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	sysregistriesv2.InvalidateCache()
	// Without its own drop-in directory, the machine's would be read, too.
	system := &types.SystemContext{
		SystemRegistriesConfPath:    file,
		SystemRegistriesConfDirPath: filepath.Join(dir, "registries.conf.d"),
	}
	return sysregistriesv2.FindRegistry(system, name)
}
