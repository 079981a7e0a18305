// Reads a schedule from each line, as JSON, and writes the times in the year 2026 by robfig/cron, the library of
// Kubernetes' CronJobs, in seconds since 1970; null for a schedule that it refuses.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

const most = 400

func main() {
	lines := bufio.NewScanner(os.Stdin)
	responses := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		if err := responses.Encode(times(text)); err != nil {
			panic(err)
		}
	}
}

func times(text string) []int64 {
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return nil
	}
	found := []int64{}
	year := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := schedule.Next(year.Add(-time.Second))
	for at.Year() == year.Year() && len(found) < most {
		found = append(found, at.Unix())
		at = schedule.Next(at)
	}
	return found
}
