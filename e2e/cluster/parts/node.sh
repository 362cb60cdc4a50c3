# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# One worker: containerd, kubelet, and the GPUs that it says it has.

write_containerd_config() {
  local node=$1 dir=$state/node-$1
  cat >"$dir/containerd.toml" <<CONFIG
version = 2
root = "$dir/containerd"
state = "/run/containerd/state"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  # Without CAP_SYS_RESOURCE a lower score cannot be set.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/containerd/opt"
CONFIG
  mkdir -p "$dir/cni"
  cat >"$dir/cni/10-pods.conflist" <<CONFIG
{"cniVersion": "0.4.0", "name": "pods-$node", "plugins": [
  {"type": "bridge", "bridge": "pods$node", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "/run/ipam",
            "ranges": [[{"subnet": "$(pod_range "$node")"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFIG
}

write_kubelet_config() {
  local node=$1 dir=$state/node-$1
  echo 'nameserver 10.96.0.10' >"$dir/resolv.conf"
  cat >"$dir/kubelet.yaml" <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $(node_address "$node")
healthzPort: 0
authentication: {anonymous: {enabled: false}, x509: {clientCAFile: "$state/pki/ca.crt"}, webhook: {enabled: true}}
authorization: {mode: Webhook}
tlsCertFile: $state/pki/node-$node.crt
tlsPrivateKeyFile: $state/pki/node-$node.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$(cgroup_of_node "$node")
cgroupsPerQOS: true
enforceNodeAllocatable: [pods]
failSwapOn: false
protectKernelDefaults: true
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
resolvConf: $dir/resolv.conf
maxPods: 110
# Images were put there by hand and could not be pulled again.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: "1%", imagefs.available: "1%"}
enableSystemLogHandler: true
enableSystemLogQuery: true
volumePluginDir: $dir/volume-plugins
CONFIG
}

start_node() {
  local node=$1 dir=$state/node-$1 image
  make_node_namespaces "$node"
  write_containerd_config "$node"
  write_kubelet_config "$node"
  start_daemon "containerd-$node" "$dir/in" containerd -c "$dir/containerd.toml"
  wait_until 30 "containerd of node-$node" in_node "$node" ctr version
  for image in pause busybox; do import_image "$node" "$image" "$images/$image.tar"; done
  start_daemon "kubelet-$node" "$dir/in" kubelet --kubeconfig="$dir/kubeconfig" \
    --config="$dir/kubelet.yaml" --root-dir="$dir/kubelet" --cert-dir="$dir/kubelet-certificates" \
    --hostname-override="node-$node" --node-ip="$(node_address "$node")"
}

# import_image NODE NAME ARCHIVE: as localhost/NAME:TAG, whatever tag the archive has.
import_image() {
  in_node "$1" ctr -n k8s.io images import --base-name "localhost/$2" "$3" >>"$state/log/images.log"
}

node_is_ready() {
  local ready='{.status.conditions[?(@.type=="Ready")].status}'
  [[ $(inside kubectl get node "node-$1" -o "jsonpath=$ready") == True ]]
}

# What a device plugin would register.
advertise_gpus() {
  local node=$1
  inside kubectl label node "node-$node" nvidia.com/gpu.present=true --overwrite >/dev/null
  inside kubectl patch node "node-$node" --subresource=status --type=json -p '[
    {"op": "add", "path": "/status/capacity/nvidia.com~1gpu", "value": "8"},
    {"op": "add", "path": "/status/allocatable/nvidia.com~1gpu", "value": "8"}]' >/dev/null
}

finish_node() {
  wait_until 60 "node-$1 Ready" node_is_ready "$1"
  advertise_gpus "$1"
  "$cluster_root/journal" --id "$cluster_id" --priority 5 "node-$1" "Linux version 6.1.0 (a boot)"
}
