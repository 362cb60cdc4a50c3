# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Fake nodes by KWOK, for numbers that real ones can't reach on one machine.

start_kwok() {
  local count=$1 stages=$programs/kwok-config/kustomize/stage
  inside kubectl apply --server-side -f "$programs/kwok-config/kustomize/crd/bases" >"$state/log/kwok-apply.log"
  inside kubectl wait --for=condition=Established crd --all --timeout=30s >>"$state/log/kwok-apply.log"
  inside kubectl apply -f "$stages/node/fast/node-initialize.yaml" \
    -f "$stages/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml" \
    -f "$stages/pod/fast/pod-ready.yaml" -f "$stages/pod/fast/pod-delete.yaml" \
    -f "$stages/pod/chaos/pod-container-running-failed.yaml" >>"$state/log/kwok-apply.log"
  start_daemon kwok "$state/in" kwok --kubeconfig="$state/kwok.kubeconfig" \
    --manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake --cidr=10.200.0.0/16 \
    --node-ip="$kwok_address" --node-port=10247 --server-address="$kwok_address:10247" \
    --tls-cert-file="$state/pki/kwok.crt" --tls-private-key-file="$state/pki/kwok.key" \
    --node-lease-duration-seconds=40 --enable-crds=Stage,Logs,ClusterLogs,Exec,ClusterExec
  wait_until 30 "KWOK ready" inside curl -sk "https://$kwok_address:10247/healthz"
  local i
  for ((i = 0; i < count; ++i)); do
    cat <<NODE
---
apiVersion: v1
kind: Node
metadata: {name: kwok-$i, annotations: {kwok.x-k8s.io/node: fake}, labels: {type: kwok, kubernetes.io/hostname: kwok-$i}}
spec: {taints: [{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}]}
status: {capacity: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}, allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
NODE
  done | inside kubectl create -f - >>"$state/log/kwok-apply.log"
}
