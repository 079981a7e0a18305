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
	// The image policies, in the order in which to read them.
	ClusterImagePolicies []*configv1.ClusterImagePolicy `json:"clusterImagePolicies"`
	ImagePolicies        []*configv1.ImagePolicy        `json:"imagePolicies"`
	// NamespaceIndent is one level of a namespace's policy.
	NamespaceIndent string `json:"namespaceIndent"`
}

// nodeFiles are the texts that machine-config-operator writes; those that it does not write are nil.
type nodeFiles struct {
	registriesConf, policy []byte
	namespaces             map[string]string
	// attachments has the scopes in registries.d.
	attachments []string
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

// files returns the texts in the order in which the operator makes them.
func (c *configuration) files() (files nodeFiles, err error) {
	v, err := c.guard()
	if err != nil {
		return files, err
	}
	signed, err := c.signatures()
	if err != nil {
		return files, err
	}
	if files.registriesConf, err = c.registriesConfWith(v.registriesBlocked); err != nil {
		return files, err
	}
	if files.policy, err = v.policyJSON(signed, c.CompactPolicy); err != nil {
		return files, err
	}
	if files.policy == nil {
		return files, nil
	}
	if files.namespaces, err = v.namespacePolicies(files.policy, signed.namespaced, c.NamespaceIndent); err != nil {
		return files, err
	}
	var read []byte
	if len(c.IDMS)+len(c.ICSP)+len(c.ITMS)+len(c.Insecure)+len(v.registriesBlocked) > 0 {
		read = files.registriesConf
	}
	files.attachments, err = signed.attachments(read)
	return files, err
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
