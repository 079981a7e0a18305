//go:build tools

// Package tools names what is built here.
package tools

import _ "k8s.io/kubernetes/cmd/kube-controller-manager"
