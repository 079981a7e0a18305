//go:build tools

// Package tools: the modules of go.mod are read for the CRDs that they ship; nothing of them is compiled.
package tools
