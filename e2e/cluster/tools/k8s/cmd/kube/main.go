// SPDX-License-Identifier: Apache-2.0
// One program for the control plane and the node: it is what its name (or its first argument) says.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	sched "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	name := filepath.Base(os.Args[0])
	var c *cobra.Command
	switch name {
	case "kube-apiserver":
		c = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		c = kcm.NewControllerManagerCommand()
	case "kube-scheduler":
		c = sched.NewSchedulerCommand()
	case "kube-proxy":
		c = proxy.NewProxyCommand()
	case "kubelet":
		c = kubelet.NewKubeletCommand(context.Background())
	default:
		fmt.Fprintln(os.Stderr, "unknown program name", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(c))
}
