// Command ignition parses configurations with the parsers of machine-config-operator: that of its releases up to 4.18
// (v3_4), and that of the later ones (v3_5); and validates what they read as machine-config-operator does.
//
//	ignition    one JSON configuration per line in, one {"v3_4": …, "v3_5": …} per line out, with the error of each
//	            parser, empty if it reads the configuration
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	v34 "github.com/coreos/ignition/v2/config/v3_4"
	v35 "github.com/coreos/ignition/v2/config/v3_5"
	"github.com/coreos/ignition/v2/config/validate"
)

type outcome struct {
	V34 string `json:"v3_4"`
	V35 string `json:"v3_5"`
}

func main() {
	if err := parseLines(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parseLines(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var config json.RawMessage
		if err := decoder.Decode(&config); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a configuration: %w", err)
		}
		inV34, inV35 := parseV34(config), parseV35(config)
		if err := encoder.Encode(outcome{V34: text(inV34), V35: text(inV35)}); err != nil {
			return err
		}
	}
}

// What machine-config-operator does with a configuration, in the types of its newest version (ValidateIgnition).
func validated(config any, modes []*int) error {
	if report := validate.ValidateWithContext(config, nil); report.IsFatal() {
		return errors.New(report.String())
	}
	for _, mode := range modes {
		if mode != nil && os.FileMode(*mode) > os.ModePerm {
			return fmt.Errorf("invalid mode %#o", *mode)
		}
	}
	return nil
}

func parseV34(raw []byte) error {
	config, _, err := v34.ParseCompatibleVersion(raw)
	if err != nil {
		return err
	}
	var modes []*int
	for _, file := range config.Storage.Files {
		modes = append(modes, file.Mode)
	}
	return validated(config, modes)
}

func parseV35(raw []byte) error {
	config, _, err := v35.ParseCompatibleVersion(raw)
	if err != nil {
		return err
	}
	var modes []*int
	for _, file := range config.Storage.Files {
		modes = append(modes, file.Mode)
	}
	return validated(config, modes)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
