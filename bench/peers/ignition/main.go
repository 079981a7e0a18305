// Command ignition does with Ignition configurations what machine-config-operator does with those of MachineConfigs.
//
// It reads one request per line and writes one response per line:
//
//	a configuration                      {"v3_4": …, "v3_5": …}: the error of the parser of its releases up to 4.18, and of the
//	                                     later ones, with that of the validation; empty if the configuration is valid
//	{"merge": [configuration, …]}        {"files": {PATH: {"mode": …, "contents": …}}}, in the order of the list, or {"error": …}
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/coreos/ignition/v2/config/util"
	v34 "github.com/coreos/ignition/v2/config/v3_4"
	v35 "github.com/coreos/ignition/v2/config/v3_5"
	"github.com/coreos/ignition/v2/config/v3_5/types"
	"github.com/coreos/ignition/v2/config/validate"
	"github.com/coreos/vcontext/report"
	"github.com/vincent-petithory/dataurl"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		if err := encoder.Encode(respond(raw)); err != nil {
			return err
		}
	}
}

func respond(raw []byte) map[string]any {
	var request struct{ Merge []json.RawMessage }
	if err := json.Unmarshal(raw, &request); err != nil || request.Merge == nil {
		return map[string]any{"v3_4": text(parseV34(raw)), "v3_5": text(parseV35(raw))}
	}
	files, err := merge(request.Merge)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"files": files}
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

func unread(err error, details report.Report) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", err, details.String())
}

func parseV34(raw []byte) error {
	config, details, err := v34.ParseCompatibleVersion(raw)
	if err != nil {
		return unread(err, details)
	}
	var modes []*int
	for _, file := range config.Storage.Files {
		modes = append(modes, file.Mode)
	}
	return validated(config, modes)
}

func parseV35(raw []byte) error {
	config, details, err := v35.ParseCompatibleVersion(raw)
	if err != nil {
		return unread(err, details)
	}
	var modes []*int
	for _, file := range config.Storage.Files {
		modes = append(modes, file.Mode)
	}
	return validated(config, modes)
}

type file struct {
	Mode     *int   `json:"mode"`
	Contents string `json:"contents"`
}

// As MergeMachineConfigs of machine-config-operator (7ff337a4f, pkg/controller/common/helpers.go:71): a configuration that
// sets no compression removes that of the configurations before it.
func merge(raw []json.RawMessage) (map[string]file, error) {
	var merged types.Config
	for index, one := range raw {
		config, details, err := v35.ParseCompatibleVersion(one)
		if err != nil {
			return nil, unread(err, details)
		}
		if index == 0 {
			merged = config
			continue
		}
		for i := range config.Storage.Files {
			contents := &config.Storage.Files[i].Contents
			if contents.Compression == nil {
				contents.Compression = util.StrToPtr("")
			}
		}
		merged = v35.Merge(merged, config)
	}
	files := map[string]file{}
	for _, one := range merged.Storage.Files {
		contents, err := decode(one.Contents)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Path, err)
		}
		files[one.Path] = file{Mode: one.Mode, Contents: contents}
	}
	return files, nil
}

func decode(contents types.Resource) (string, error) {
	if contents.Source == nil {
		return "", nil
	}
	url, err := dataurl.DecodeString(*contents.Source)
	if err != nil {
		return "", err
	}
	if util.NilOrEmpty(contents.Compression) {
		return string(url.Data), nil
	}
	zipped, err := gzip.NewReader(bytes.NewReader(url.Data))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(zipped)
	return string(text), err
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
