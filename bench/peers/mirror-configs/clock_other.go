//go:build !linux

package main

import "time"

var start = time.Now()

// threadTime returns elapsed time on systems without a thread's processor time: measure on an idle machine.
func threadTime() (time.Duration, error) {
	return time.Since(start), nil
}
