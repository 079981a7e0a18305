package main

import (
	"fmt"

	"github.com/openshift/hypershift/support/thirdparty/library-go/pkg/image/reference"
)

// applyPair is GetRegistryOverrides of support/util/imagemetadata.go: the first of three rules whose condition holds
// composes a text from parts of reference and mirror, and that text must parse.
func applyPair(ref reference.DockerImageReference, source, mirror string) (reference.DockerImageReference, bool, error) {
	from, err := reference.Parse(source)
	if err != nil {
		return ref, false, fmt.Errorf("failed to parse source image reference %q: %w", source, err)
	}
	to, err := reference.Parse(mirror)
	if err != nil {
		return ref, false, fmt.Errorf("failed to parse mirror image reference %q: %w", mirror, err)
	}

	var parts [3]string
	var rule string
	switch {
	case from.Registry == "" && from.Namespace == "" && from.Name != "" && ref.Registry == from.Name:
		rule, parts = "root registry match", [3]string{to.String(), ref.Namespace, ref.NameString()}
	case from.Namespace == "" && from.Name == ref.Namespace:
		rule, parts = "namespace match", [3]string{to.Registry, to.Name, ref.NameString()}
	case from.Namespace == ref.Namespace && from.Name == ref.Name:
		to.Tag, to.ID = ref.Tag, ref.ID
		rule, parts = "exact match", [3]string{to.Registry, to.Namespace, to.NameString()}
	default:
		return ref, false, nil
	}
	composed, err := reference.Parse(parts[0] + "/" + parts[1] + "/" + parts[2])
	if err != nil {
		return ref, false, fmt.Errorf("failed to parse composed image reference (%s): %w", rule, err)
	}
	return composed, true, nil
}
