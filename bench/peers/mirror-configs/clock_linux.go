package main

import (
	"syscall"
	"time"
)

// threadTime returns the processor time of this thread: other processes and garbage collection threads do not count.
func threadTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
