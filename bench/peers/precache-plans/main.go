// Command precache-plans returns what the Topology Aware Lifecycle Manager makes of ClusterGroupUpgrades, one JSON line per
// request: its reconciler runs on a hub in memory until it waits, or begins the rollout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"github.com/openshift-kni/cluster-group-upgrades-operator/controllers"
	ranv1alpha1 "github.com/openshift-kni/cluster-group-upgrades-operator/pkg/api/clustergroupupgrades/v1alpha1"
	viewv1beta1 "github.com/stolostron/cluster-lifecycle-api/view/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	workv1alpha1 "open-cluster-management.io/api/work/v1alpha1"
	policiesv1 "open-cluster-management.io/governance-policy-propagator/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// A request names hubs with one ClusterGroupUpgrade each; every hub is a list of objects. With a kind it asks for the fields
// of its spec instead.
type request struct {
	Hubs [][]json.RawMessage `json:"hubs"`
	Kind string              `json:"kind"`
}

type plan struct {
	Conditions []metav1.Condition           `json:"conditions"`
	Precaching ranv1alpha1.PrecachingStatus `json:"precaching"`
	Clusters   []string                     `json:"clusters"`
	// Why the reconcile fails again and again: an error or a panic.
	Fails string `json:"fails,omitempty"`
}

type response struct {
	Plans  []plan   `json:"plans,omitempty"`
	Fields []string `json:"fields,omitempty"`
}

// newScheme returns a scheme for one hub: a hub in memory adds the kinds to it that it meets.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme,
		clusterv1.Install,
		workv1.Install,
		workv1alpha1.Install,
		policiesv1.AddToScheme,
		ranv1alpha1.AddToScheme,
		viewv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

// asStored sets what the API server would: the default of enable, without which the reconciler panics.
func asStored(manifest json.RawMessage) *unstructured.Unstructured {
	stored := &unstructured.Unstructured{}
	if err := stored.UnmarshalJSON(manifest); err != nil {
		panic(err)
	}
	if stored.GetKind() != "ClusterGroupUpgrade" {
		return stored
	}
	if _, found, _ := unstructured.NestedBool(stored.Object, "spec", "enable"); !found {
		if err := unstructured.SetNestedField(stored.Object, true, "spec", "enable"); err != nil {
			panic(err)
		}
	}
	return stored
}

// asSent gives an object the types that it has after a request: the reconciler's own, such as int, are not copied by a hub
// in memory.
func asSent(object client.Object) {
	sent, isUnstructured := object.(*unstructured.Unstructured)
	if !isUnstructured {
		return
	}
	text, err := sent.MarshalJSON()
	if err != nil {
		panic(err)
	}
	if err := sent.UnmarshalJSON(text); err != nil {
		panic(err)
	}
}

var sending = interceptor.Funcs{
	Create: func(ctx context.Context, hub client.WithWatch, object client.Object, options ...client.CreateOption) error {
		asSent(object)
		return hub.Create(ctx, object, options...)
	},
	Update: func(ctx context.Context, hub client.WithWatch, object client.Object, options ...client.UpdateOption) error {
		asSent(object)
		return hub.Update(ctx, object, options...)
	},
}

func reconcile(r *controllers.ClusterGroupUpgradeReconciler, name types.NamespacedName) (again bool, fails string) {
	defer func() {
		if caught := recover(); caught != nil {
			fails = fmt.Sprintf("panic: %v", caught)
		}
	}()
	result, err := r.Reconcile(context.Background(), ctrl.Request{NamespacedName: name})
	if err != nil {
		return false, err.Error()
	}
	return result.Requeue, ""
}

func planOf(hub []json.RawMessage) plan {
	scheme := newScheme()
	builder := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(sending).
		WithStatusSubresource(&ranv1alpha1.ClusterGroupUpgrade{})
	var name types.NamespacedName
	for _, manifest := range hub {
		stored := asStored(manifest)
		if stored.GetKind() == "ClusterGroupUpgrade" {
			name = client.ObjectKeyFromObject(stored)
		}
		builder = builder.WithObjects(stored)
	}
	hubClient := builder.Build()
	r := &controllers.ClusterGroupUpgradeReconciler{
		Client: hubClient, Log: logr.Discard(), Scheme: scheme, Recorder: &record.FakeRecorder{},
	}
	// The finalizer, the computed concurrency and the plan are a reconcile each.
	for range 10 {
		again, fails := reconcile(r, name)
		cgu := &ranv1alpha1.ClusterGroupUpgrade{}
		if err := hubClient.Get(context.Background(), name, cgu); err != nil {
			panic(err)
		}
		hasEnded := meta.FindStatusCondition(cgu.Status.Conditions, "Progressing") != nil
		if again && !hasEnded && fails == "" {
			continue
		}
		found := plan{Conditions: cgu.Status.Conditions, Fails: fails}
		if cgu.Status.Precaching != nil {
			found.Precaching = *cgu.Status.Precaching
		}
		for _, batch := range cgu.Status.RemediationPlan {
			found.Clusters = append(found.Clusters, batch...)
		}
		return found
	}
	panic("the reconciler does not come to an end")
}

// fieldsOf returns the paths of the fields of a type; [] stands for the items of a list.
func fieldsOf(of reflect.Type, path string) []string {
	switch of.Kind() {
	case reflect.Pointer:
		return fieldsOf(of.Elem(), path)
	case reflect.Slice:
		return fieldsOf(of.Elem(), path+"[]")
	case reflect.Struct:
		var found []string
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			found = append(found, fieldsOf(field.Type, path+"."+name)...)
		}
		return found
	}
	return []string{path}
}

var specs = map[string]any{
	"ClusterGroupUpgrade": ranv1alpha1.ClusterGroupUpgradeSpec{},
	"PreCachingConfig":    ranv1alpha1.PreCachingConfigSpec{},
}

// reply plans all hubs at the same time, since each reconcile begins with a pause.
func reply(q request) response {
	if spec, found := specs[q.Kind]; found {
		return response{Fields: fieldsOf(reflect.TypeOf(spec), "spec")}
	}
	plans := make([]plan, len(q.Hubs))
	var group sync.WaitGroup
	for i, hub := range q.Hubs {
		group.Go(func() { plans[i] = planOf(hub) })
	}
	group.Wait()
	return response{Plans: plans}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if err := out.Encode(reply(q)); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
