// Command mirror-configs renders registries.conf with the Go libraries of machine-config-operator: the peer that
// hubrelay's output and speed are compared with.
//
//	mirror-configs [FILE]            one JSON configuration in (standard input without FILE), the text out;
//	                                 a refusal goes to standard error, exit status 1
//	mirror-configs -lines [FILE]     one configuration per line in, one {"conf": …, "policy": …} or
//	                                 {"error": …} per line out; no policy if policy.json is not written
//	mirror-configs -bench N [FILE]   render repeatedly in process, N batches; print
//	                                 {"firstNs": …, "ns": [… per run, one per batch], "bytes": …, "sha256": …}
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	lines := flag.Bool("lines", false, "one configuration per line")
	batches := flag.Int("bench", 0, "time this many batches of runs and print nanoseconds per run")
	flag.Parse()
	if err := run(flag.Arg(0), *lines, *batches, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string, lines bool, batches int, out io.Writer) error {
	in, err := open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if lines {
		return renderLines(in, out)
	}
	var c configuration
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	if batches > 0 {
		return measure(&c, batches, out)
	}
	text, err := c.registriesConf()
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func open(file string) (io.ReadCloser, error) {
	if file == "" || file == "-" {
		return os.Stdin, nil
	}
	return os.Open(file)
}

type outcome struct {
	Conf   *string `json:"conf,omitempty"`
	Policy *string `json:"policy,omitempty"`
	Error  *string `json:"error,omitempty"`
	// Only with image policies.
	Namespaces  map[string]string `json:"namespaces,omitempty"`
	Attachments []string          `json:"attachments,omitempty"`
}

func renderLines(in io.Reader, out io.Writer) error {
	// Unbuffered, so that one process can reply request by request.
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var c configuration
		if err := decoder.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a configuration: %w", err)
		}
		if err := encoder.Encode(c.outcome()); err != nil {
			return err
		}
	}
}

func (c *configuration) outcome() outcome {
	files, err := c.files()
	if err != nil {
		message := err.Error()
		return outcome{Error: &message}
	}
	return outcome{
		Conf:        text(files.registriesConf),
		Policy:      text(files.policy),
		Namespaces:  files.namespaces,
		Attachments: files.attachments,
	}
}

func text(content []byte) *string {
	if content == nil {
		return nil
	}
	s := string(content)
	return &s
}

// leastTime is the minimum time of a batch of runs: the system counts a thread's time in ticks.
const leastTime = 200 * time.Millisecond

// measure times validation, merge, entries and text together, without reading the input and hashing the output. It
// reports the first run in elapsed time, the others in thread time per run, batch by batch.
func measure(c *configuration, batches int, out io.Writer) error {
	runtime.LockOSThread() // its clock is the thread's
	start := time.Now()
	text, err := c.registriesConf()
	first := time.Since(start)
	if err != nil {
		return err
	}
	perRun := make([]int64, 0, batches)
	for range batches {
		ns, err := timePerRun(c)
		if err != nil {
			return err
		}
		perRun = append(perRun, ns)
	}
	sum := sha256.Sum256(text)
	return json.NewEncoder(out).Encode(map[string]any{
		"firstNs": first.Nanoseconds(), "ns": perRun, "bytes": len(text), "sha256": hex.EncodeToString(sum[:]),
	})
}

func timePerRun(c *configuration) (int64, error) {
	start, err := threadTime()
	if err != nil {
		return 0, err
	}
	for runs := int64(1); ; runs++ {
		if _, err := c.registriesConf(); err != nil {
			return 0, err
		}
		now, err := threadTime()
		if err != nil {
			return 0, err
		}
		if now-start >= leastTime {
			return (now - start).Nanoseconds() / runs, nil
		}
	}
}
