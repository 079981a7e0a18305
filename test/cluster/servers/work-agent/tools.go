//go:build tools

// Package tools names what is built here.
package tools

import _ "open-cluster-management.io/ocm/cmd/work"
