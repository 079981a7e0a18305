// Command runtime reports what a container runtime does with the files on a node, with the libraries of CRI-O and
// podman: the locations that an image is pulled from, in order, and whether policy.json accepts it.
//
// It reads one request per line and writes one response per line:
//
//	{"conf": TEXT, "references": ["quay.io/ns/app@sha256:…", …]}   {"resolved": [{…}, …]} or {"error": …}
//	{"conf": TEXT, "names": ["app:v1", …]}                         {"named": [[{…}, …], …]} or {"error": …}
//	{"policy": TEXT, "references": […]}                            {"allowed": [true, …]} or {"error": …}
//	{"storage": {"a.yaml": TEXT, …}}                               {"valid": true} or {"error": …}
//
// A request with conf may have "dropIns": {"50-own.conf": TEXT, …}, and "enforcing": true for CRI-O's short_name_mode. A name
// that cannot be resolved has no locations. A reference is fully qualified and carries a tag or a digest; a runtime strips the tag
// from one that has both.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	// The transports check the scopes of a policy.
	_ "github.com/containers/image/v5/directory"
	"github.com/containers/image/v5/docker"
	_ "github.com/containers/image/v5/docker/archive"
	_ "github.com/containers/image/v5/oci/layout"
	_ "github.com/containers/image/v5/openshift"
	"github.com/containers/image/v5/signature"
	_ "github.com/containers/image/v5/tarball"
	"github.com/containers/image/v5/types"
)

type request struct {
	Conf       *string           `json:"conf"`
	DropIns    map[string]string `json:"dropIns"`
	Enforcing  bool              `json:"enforcing"`
	References []string          `json:"references"`
	Names      []string          `json:"names"`
	Policy     *string           `json:"policy"`
	Storage    map[string]string `json:"storage"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		if err := decoder.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		response, err := q.respond()
		if err != nil {
			response = map[string]any{"error": err.Error()}
		}
		if err := encoder.Encode(response); err != nil {
			return err
		}
	}
}

func (q *request) respond() (map[string]any, error) {
	switch {
	case q.Conf != nil:
		return q.resolveAll()
	case q.Policy != nil:
		allowed, err := q.allowed()
		return map[string]any{"allowed": allowed}, err
	case q.Storage != nil:
		return map[string]any{"valid": true}, q.readStorage()
	default:
		return nil, errors.New("a request has conf, policy or storage")
	}
}

// found is an image of which only the name is known: it decides about requirements that ask for no signature.
type found struct {
	types.UnparsedImage
	reference types.ImageReference
}

func (f found) Reference() types.ImageReference { return f.reference }

func (q *request) allowed() ([]bool, error) {
	policy, err := signature.NewPolicyFromBytes([]byte(*q.Policy))
	if err != nil {
		return nil, err
	}
	policies, err := signature.NewPolicyContext(policy)
	if err != nil {
		return nil, err
	}
	defer policies.Destroy()
	allowed := make([]bool, 0, len(q.References))
	for _, text := range q.References {
		reference, err := docker.ParseReference("//" + text)
		if err != nil {
			return nil, err
		}
		// A refusal is an error, too.
		is, _ := policies.IsRunningImageAllowed(context.Background(), found{reference: reference})
		allowed = append(allowed, is)
	}
	return allowed, nil
}

func (q *request) readStorage() error {
	dir, err := os.MkdirTemp("", "storage")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeAll(dir, q.Storage); err != nil {
		return err
	}
	reference, err := docker.ParseReference("//a.io/app:v1")
	if err != nil {
		return err
	}
	_, err = docker.SignatureStorageBaseURL(&types.SystemContext{RegistriesDirPath: dir}, reference, false)
	return err
}

func writeAll(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
