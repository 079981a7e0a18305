module hubrelay.dev/test/cluster/crds

go 1.26.0

require (
	github.com/openshift/api v0.0.0-20260810132456-8f52beb625b5
	github.com/openshift/hypershift v0.1.81
	github.com/operator-framework/api v0.35.0
	open-cluster-management.io/api v1.3.0
	open-cluster-management.io/governance-policy-propagator v0.17.0
)
