package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/containers/image/v5/docker/reference"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/types"
)

// resolution of one reference: the entry that applies (empty if none does) and the locations to try, in order, until
// one has the image. Error is set if the pull fails before the first request.
type resolution struct {
	Reference string  `json:"reference"`
	Prefix    string  `json:"prefix"`
	Places    []place `json:"places"`
	Error     string  `json:"error,omitempty"`
}

// place is one location. A blocked place is skipped with an error: blocking is looked up for the rewritten
// name, so a mirror inside a blocked scope is blocked and a blocked source still has its mirrors. Insecure is
// the endpoint's own flag, not that of the entry for its host.
type place struct {
	Reference string `json:"reference"`
	Insecure  bool   `json:"insecure"`
	Blocked   bool   `json:"blocked"`
}

func resolveAll(conf string, dropIn *string, references []string) ([]resolution, error) {
	dir, err := os.MkdirTemp("", "registries")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "registries.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	dropIns := filepath.Join(dir, "registries.conf.d")
	if dropIn != nil {
		if err := os.Mkdir(dropIns, 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dropIns, "50-own.conf"), []byte(*dropIn), 0o600); err != nil {
			return nil, err
		}
	}
	// Without its own drop-in directory, the machine's would be read, too.
	system := &types.SystemContext{
		SystemRegistriesConfPath:    file,
		SystemRegistriesConfDirPath: dropIns,
	}
	sysregistriesv2.InvalidateCache()
	if _, err := sysregistriesv2.GetRegistries(system); err != nil {
		return nil, err
	}
	resolved := make([]resolution, 0, len(references))
	for _, text := range references {
		r := resolution{Reference: text, Places: []place{}}
		if err := r.resolve(system); err != nil {
			r.Error = err.Error()
		}
		resolved = append(resolved, r)
	}
	return resolved, nil
}

func (r *resolution) resolve(system *types.SystemContext) error {
	named, err := reference.ParseNamed(r.Reference)
	if err != nil {
		return fmt.Errorf("parsing %q: %w", r.Reference, err)
	}
	entry, err := sysregistriesv2.FindRegistry(system, named.Name())
	if err != nil {
		return err
	}
	if entry == nil {
		r.Places = append(r.Places, place{Reference: named.String()})
		return nil
	}
	r.Prefix = entry.Prefix
	sources, err := entry.PullSourcesFromReference(named)
	if err != nil {
		return err
	}
	for _, source := range sources {
		physical, err := sysregistriesv2.FindRegistry(system, source.Reference.Name())
		if err != nil {
			return err
		}
		r.Places = append(r.Places, place{
			Reference: source.Reference.String(),
			Insecure:  source.Endpoint.Insecure,
			Blocked:   physical != nil && physical.Blocked,
		})
	}
	return nil
}
