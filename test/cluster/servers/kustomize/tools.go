//go:build tools

// Package tools names what is built here.
package tools

import _ "sigs.k8s.io/kustomize/kustomize/v5"
