package main

import (
	"maps"
	"slices"
	"strings"
)

// encodeOverrides is ConvertOpenShiftImageRegistryOverridesToCommandLineFlag of support/util/util.go, in the version
// that sorts mirrors, too.
func encodeOverrides(overrides map[string][]string) string {
	var pairs []string
	for _, source := range slices.Sorted(maps.Keys(overrides)) {
		for _, mirror := range slices.Sorted(slices.Values(overrides[source])) {
			pairs = append(pairs, source+"="+mirror)
		}
	}
	if len(pairs) == 0 {
		return "="
	}
	return strings.Join(pairs, ",")
}

// decodeOverrides is ConvertImageRegistryOverrideStringToMap of support/util/util.go.
func decodeOverrides(text string) map[string][]string {
	if text == "" || text == "=" {
		return nil
	}
	overrides := map[string][]string{}
	for pair := range strings.SplitSeq(text, ",") {
		source, mirror, isPair := strings.Cut(pair, "=")
		if isPair && source != "" && mirror != "" {
			overrides[source] = append(overrides[source], mirror)
		}
	}
	return overrides
}
