// Command ignition parses configurations with the parsers of machine-config-operator: that of its releases up to 4.18
// (v3_4), and that of the later ones (v3_5).
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
		_, _, inV34 := v34.ParseCompatibleVersion(config)
		_, _, inV35 := v35.ParseCompatibleVersion(config)
		if err := encoder.Encode(outcome{V34: text(inV34), V35: text(inV35)}); err != nil {
			return err
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
