package main

import (
	"syscall"
	"time"
)

// threadTime is the processor time that this thread has used so far: other processes do not disturb it, and
// threads that help with garbage do not count.
func threadTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
