// Command runtime tells what a container runtime does with the files on a node, by the libraries that CRI-O and
// podman are built from: which places an image is pulled from, in order, and whether policy.json is valid.
//
// It reads one question a line and writes one answer a line:
//
//	{"conf": TEXT, "references": ["quay.io/ns/app@sha256:…", …]}   {"resolved": [{…}, …]} or {"error": …}
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

	"github.com/containers/image/v5/signature"
)

type question struct {
	Conf       *string  `json:"conf"`
	References []string `json:"references"`
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
		var q question
		if err := decoder.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a question: %w", err)
		}
		answer, err := q.answer()
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
}

func (q *question) answer() (map[string]any, error) {
	switch {
	case q.Conf != nil:
		resolved, err := resolveAll(*q.Conf, q.References)
		if err != nil {
			return nil, err
		}
		return map[string]any{"resolved": resolved}, nil
	case q.Policy != nil:
		if _, err := signature.NewPolicyFromBytes([]byte(*q.Policy)); err != nil {
			return nil, err
		}
		return map[string]any{"valid": true}, nil
	default:
		return nil, errors.New("a question has conf or policy")
	}
}
