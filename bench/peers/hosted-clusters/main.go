// Command hosted-clusters returns what HyperShift's operators make of registry overrides, one JSON line per request.
//
// References, the replacement of registries and the flag's text are HyperShift's own code. The packages around its
// three matching rules and its two encodings pull in the whole operator, with modules that no proxy serves, so these
// few lines are copied to rules.go and text.go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/openshift/hypershift/support/thirdparty/library-go/pkg/image/reference"
	"github.com/openshift/hypershift/support/util/registryoverride"
	"github.com/spf13/pflag"
)

type request struct {
	Op           string              `json:"op"`
	Image        string              `json:"image"`
	Source       string              `json:"source"`
	Mirror       string              `json:"mirror"`
	Text         string              `json:"text"`
	Replacements map[string]string   `json:"replacements"`
	Overrides    map[string][]string `json:"overrides"`
}

type response struct {
	Text         string              `json:"text"`
	Matches      bool                `json:"matches"`
	Error        string              `json:"error,omitempty"`
	Replacements map[string]string   `json:"replacements,omitempty"`
	Overrides    map[string][]string `json:"overrides"`
}

func failed(err error) response { return response{Error: err.Error()} }

func decodeFlag(text string) response {
	flags := pflag.NewFlagSet("operator", pflag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() {}
	decoded := flags.StringToString("registry-overrides", nil, "")
	if err := flags.Parse([]string{"--registry-overrides=" + text}); err != nil {
		return failed(err)
	}
	return response{Replacements: *decoded}
}

func reply(q request) response {
	switch q.Op {
	case "parse":
		parsed, err := reference.Parse(q.Image)
		if err != nil {
			return failed(err)
		}
		return response{Text: parsed.String()}
	case "replace":
		return response{Text: registryoverride.Replace(q.Image, q.Replacements)}
	case "decode flag":
		return decodeFlag(q.Text)
	case "pair":
		parsed, err := reference.Parse(q.Image)
		if err != nil {
			return failed(err)
		}
		composed, matches, err := applyPair(parsed, q.Source, q.Mirror)
		if err != nil {
			return failed(err)
		}
		return response{Text: composed.String(), Matches: matches}
	case "encode":
		return response{Text: encodeOverrides(q.Overrides)}
	case "decode":
		return response{Overrides: decodeOverrides(q.Text)}
	}
	return failed(fmt.Errorf("unknown request %q", q.Op))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if err := out.Encode(reply(q)); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
