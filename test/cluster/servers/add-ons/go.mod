module hubrelay.dev/test/cluster/add-ons

go 1.26.0

require (
	github.com/kedacore/keda/v2 v2.20.2
	github.com/prometheus-operator/prometheus-operator v0.93.1
)
