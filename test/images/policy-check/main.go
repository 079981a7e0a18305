// Pulls an image's manifest and signatures as the container runtime does and checks whether the signature policy of the
// machine accepts it: exit status 0 when it does, 1 and the reason on standard error when it does not.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/containers/image/v5/docker"
	"github.com/containers/image/v5/image"
	"github.com/containers/image/v5/manifest"
	"github.com/containers/image/v5/signature"
	"github.com/containers/image/v5/types"
	"github.com/opencontainers/go-digest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: policy-check IMAGE [POLICY]")
		os.Exit(2)
	}
	// The policy of /etc/containers, unless another one is given.
	system := &types.SystemContext{}
	if len(os.Args) > 2 {
		system.SignaturePolicyPath = os.Args[2]
	}
	if err := accepts(context.Background(), system, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func accepts(ctx context.Context, system *types.SystemContext, name string) error {
	policy, err := signature.DefaultPolicy(system)
	if err != nil {
		return err
	}
	judge, err := signature.NewPolicyContext(policy)
	if err != nil {
		return err
	}
	reference, err := docker.ParseReference("//" + name)
	if err != nil {
		return err
	}
	source, err := reference.NewImageSource(ctx, system)
	if err != nil {
		return err
	}
	defer source.Close()
	instance, err := platformOf(ctx, system, source)
	if err != nil {
		return err
	}
	_, err = judge.IsRunningImageAllowed(ctx, image.UnparsedInstance(source, instance))
	return err
}

// Returns the image of this machine's platform in a list of manifests, nil for a single image.
func platformOf(ctx context.Context, system *types.SystemContext, source types.ImageSource) (*digest.Digest, error) {
	content, mediaType, err := source.GetManifest(ctx, nil)
	if err != nil || !manifest.MIMETypeIsMultiImage(mediaType) {
		return nil, err
	}
	list, err := manifest.ListFromBlob(content, mediaType)
	if err != nil {
		return nil, err
	}
	chosen, err := list.ChooseInstance(system)
	if err != nil {
		return nil, err
	}
	return &chosen, nil
}
