//go:build tools

// Package tools: the modules of go.mod are only read for their CRDs; nothing of them is compiled.
package tools
