package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/containers/image/v5/docker/reference"
	"github.com/containers/image/v5/pkg/shortnames"
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

func (q *request) resolveAll() (map[string]any, error) {
	dir, err := os.MkdirTemp("", "registries")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// Without its own folder of drop-ins, the machine's would be read, too.
	dropIns := filepath.Join(dir, "registries.conf.d")
	if err := os.Mkdir(dropIns, 0o700); err != nil {
		return nil, err
	}
	if err := writeAll(dropIns, q.DropIns); err != nil {
		return nil, err
	}
	if err := writeAll(dir, map[string]string{"registries.conf": *q.Conf}); err != nil {
		return nil, err
	}
	mode := types.ShortNameModeDisabled
	if q.Enforcing {
		mode = types.ShortNameModeEnforcing
	}
	system := &types.SystemContext{
		SystemRegistriesConfPath:    filepath.Join(dir, "registries.conf"),
		SystemRegistriesConfDirPath: dropIns,
		UserShortNameAliasConfPath:  filepath.Join(dir, "aliases.conf"),
		ShortNameMode:               &mode,
	}
	sysregistriesv2.InvalidateCache()
	if _, err := sysregistriesv2.GetRegistries(system); err != nil {
		return nil, err
	}
	named := make([][]resolution, 0, len(q.Names))
	for _, name := range q.Names {
		named = append(named, resolved(system, candidatesOf(system, name)))
	}
	return map[string]any{"resolved": resolved(system, q.References), "named": named}, nil
}

// As CRI-O's CandidatesForPotentiallyShortImageName: the full references of a name, without a tag beside a digest.
func candidatesOf(system *types.SystemContext, name string) []string {
	found, err := shortnames.Resolve(system, name)
	if err != nil {
		return nil
	}
	references := make([]string, 0, len(found.PullCandidates))
	for _, candidate := range found.PullCandidates {
		full := candidate.Value
		if digested, ok := full.(reference.Digested); ok {
			if full, err = reference.WithDigest(reference.TrimNamed(full), digested.Digest()); err != nil {
				return nil
			}
		}
		references = append(references, full.String())
	}
	return references
}

func resolved(system *types.SystemContext, references []string) []resolution {
	all := make([]resolution, 0, len(references))
	for _, text := range references {
		r := resolution{Reference: text, Places: []place{}}
		if err := r.resolve(system); err != nil {
			r.Error = err.Error()
		}
		all = append(all, r)
	}
	return all
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
