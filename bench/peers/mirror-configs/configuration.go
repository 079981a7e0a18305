package main

import (
	"bytes"
	"fmt"

	"github.com/BurntSushi/toml"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
	"github.com/openshift/runtime-utils/pkg/registries"
)

// configuration is the input of registries.conf. The objects are whole API objects, in the order in which to read them.
type configuration struct {
	// Template is the file to edit; may be empty.
	Template string                                       `json:"template"`
	Insecure []string                                     `json:"insecure"`
	Blocked  []string                                     `json:"blocked"`
	IDMS     []*configv1.ImageDigestMirrorSet             `json:"idms"`
	ICSP     []*operatorv1alpha1.ImageContentSourcePolicy `json:"icsp"`
	ITMS     []*configv1.ImageTagMirrorSet                `json:"itms"`
	// ReleaseImage is the payload that must stay reachable; nil if the cluster has no ClusterVersion.
	ReleaseImage *string `json:"releaseImage"`
	// CompactPolicy writes policy.json in one line, as releases up to 4.16 do.
	CompactPolicy bool `json:"compactPolicy"`
}

// registriesConf returns the text that machine-config-operator would write, or the error it would log. It does not
// change its input, so it may be called repeatedly.
func (c *configuration) registriesConf() ([]byte, error) {
	v, err := c.guard()
	if err != nil {
		return nil, err
	}
	return c.registriesConfWith(v.registriesBlocked)
}

// files returns both texts; the policy is nil if none is written.
func (c *configuration) files() (registriesConf, policy []byte, err error) {
	v, err := c.guard()
	if err != nil {
		return nil, nil, err
	}
	if registriesConf, err = c.registriesConfWith(v.registriesBlocked); err != nil {
		return nil, nil, err
	}
	policy, err = v.policyJSON(c.CompactPolicy)
	return registriesConf, policy, err
}

func (c *configuration) registriesConfWith(blocked []string) ([]byte, error) {
	var conf sysregistriesv2.V2RegistriesConf
	if _, err := toml.Decode(c.Template, &conf); err != nil {
		return nil, fmt.Errorf("error unmarshalling registries config: %w", err)
	}
	if err := c.validate(blocked); err != nil {
		return nil, err
	}
	if err := registries.EditRegistriesConfig(&conf, c.Insecure, blocked, c.ICSP, c.IDMS, c.ITMS); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(conf); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
