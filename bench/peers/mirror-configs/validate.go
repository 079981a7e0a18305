package main

import (
	"fmt"
	"regexp"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/runtime-utils/pkg/registries"
)

// The patterns of the ImageDigestMirrorSet CRD, put together from their parts. Go matches them in linear time.
const (
	label     = `(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])`
	host      = label + `(?:\.` + label + `)*(?::[0-9]+)?`
	component = `/[a-z0-9]+(?:(?:[._]|__|-*)[a-z0-9]+)*`
)

var (
	mirrorPattern = regexp.MustCompile(`^` + host + `(?:` + component + `)*$`)
	sourcePattern = regexp.MustCompile(`^\*(?:\.` + label + `)+$|^` + host + `(?:` + component + `)*$`)
)

// validate does what machine-config-operator does before it calls runtime-utils: these checks are part of the
// operator, which cannot be imported, so they are copied here, with its messages and in its order.
// The check of a single scope and the merge are runtime-utils' own.
func (c *configuration) validate(blocked []string) error {
	for _, list := range []struct {
		name   string
		scopes []string
	}{{"insecure", c.Insecure}, {"blocked", blocked}} {
		for _, scope := range list.scopes {
			if !registries.IsValidRegistriesConfScope(scope) {
				return fmt.Errorf("invalid entry for %s registries %q", list.name, scope)
			}
		}
	}

	// Shared by all three kinds: the policies of one source must agree across objects.
	policies := policyBySource{}
	for _, object := range c.IDMS {
		for _, rule := range object.Spec.ImageDigestMirrors {
			if err := checkRule(policies, rule.Source, rule.Mirrors, rule.MirrorSourcePolicy); err != nil {
				return err
			}
		}
	}
	for _, object := range c.ICSP {
		for _, rule := range object.Spec.RepositoryDigestMirrors {
			if err := checkRule(policies, rule.Source, rule.Mirrors, ""); err != nil {
				return err
			}
		}
	}
	for _, object := range c.ITMS {
		for _, rule := range object.Spec.ImageTagMirrors {
			if err := checkRule(policies, rule.Source, rule.Mirrors, rule.MirrorSourcePolicy); err != nil {
				return err
			}
		}
	}
	return nil
}

type policyBySource map[string]configv1.MirrorSourcePolicy

func checkRule[Mirror ~string](
	policies policyBySource, source string, mirrors []Mirror, policy configv1.MirrorSourcePolicy,
) error {
	if !sourcePattern.MatchString(source) {
		return fmt.Errorf("invalid format for source %q", source)
	}
	if policy == "" {
		policy = configv1.AllowContactingSource
	}
	if seen, ok := policies[source]; ok && seen != policy {
		return fmt.Errorf("conflicting mirrorSourcePolicy is set for the same source %q in "+
			"imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies", source)
	}
	policies[source] = policy
	for _, mirror := range mirrors {
		if !mirrorPattern.MatchString(string(mirror)) {
			return fmt.Errorf("invalid format for mirror %q", mirror)
		}
		if policy == configv1.NeverContactSource && string(mirror) == source {
			return fmt.Errorf("cannot set mirrorSourcePolicy: NeverContactSource if the source %q is one of the mirrors", source)
		}
	}
	return nil
}
