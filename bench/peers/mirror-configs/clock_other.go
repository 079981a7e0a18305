//go:build !linux

package main

import "time"

var start = time.Now()

// threadTime is elapsed time where the system does not tell a thread's own: measure on an idle machine.
func threadTime() (time.Duration, error) {
	return time.Since(start), nil
}
