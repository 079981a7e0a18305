// Command runtime reports what a container runtime does with the files on a node, with the libraries of CRI-O and
// podman: the locations that an image is pulled from, in order, and whether policy.json is valid.
//
// It reads one request per line and writes one response per line:
//
//	{"conf": TEXT, "references": ["quay.io/ns/app@sha256:…", …]}   {"resolved": [{…}, …]} or {"error": …}
//	{"dropIn": TEXT}                                               {"valid": true} or {"error": …}
//	{"policy": TEXT}                                               {"valid": true} or {"error": …}
//
// A reference is fully qualified and carries a tag or a digest; a runtime strips the tag from one that has both.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	// The transports check the scopes of a policy.
	_ "github.com/containers/image/v5/directory"
	_ "github.com/containers/image/v5/docker"
	_ "github.com/containers/image/v5/docker/archive"
	_ "github.com/containers/image/v5/oci/layout"
	_ "github.com/containers/image/v5/openshift"
	"github.com/containers/image/v5/signature"
	_ "github.com/containers/image/v5/tarball"
)

type request struct {
	Conf       *string  `json:"conf"`
	References []string `json:"references"`
	DropIn     *string  `json:"dropIn"`
	Policy     *string  `json:"policy"`
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
		resolved, err := resolveAll(*q.Conf, nil, q.References)
		if err != nil {
			return nil, err
		}
		return map[string]any{"resolved": resolved}, nil
	case q.DropIn != nil:
		if _, err := resolveAll("", q.DropIn, nil); err != nil {
			return nil, err
		}
		return map[string]any{"valid": true}, nil
	case q.Policy != nil:
		if _, err := signature.NewPolicyFromBytes([]byte(*q.Policy)); err != nil {
			return nil, err
		}
		return map[string]any{"valid": true}, nil
	default:
		return nil, errors.New("a request has conf, dropIn or policy")
	}
}
