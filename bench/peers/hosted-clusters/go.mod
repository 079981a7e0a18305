module hubrelay.dev/bench/peers/hosted-clusters

go 1.26.0

require (
	github.com/openshift/hypershift v0.1.81
	github.com/spf13/pflag v1.0.10
)
