# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# etcd, API server, controller manager, scheduler.

start_etcd() {
  # Nothing has to survive a crash of the machine.
  start_daemon etcd "$state/in" etcd --name etcd --data-dir /run/etcd/data --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster etcd=http://127.0.0.1:2380 --log-level warn
}

start_api_server() {
  local pki=$state/pki
  start_daemon apiserver "$state/in" kube-apiserver \
    --etcd-servers=http://127.0.0.1:2379 \
    --advertise-address="$api_address" --bind-address=0.0.0.0 --secure-port=6443 \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --client-ca-file="$pki/ca.crt" \
    --service-account-key-file="$pki/service-account.pub" \
    --service-account-signing-key-file="$pki/service-account.key" \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-cluster-ip-range="$service_range" \
    --authorization-mode=Node,RBAC --allow-privileged=true \
    --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
    --kubelet-certificate-authority="$pki/ca.crt" \
    --kubelet-preferred-address-types=InternalIP --enable-aggregator-routing=true \
    --requestheader-client-ca-file="$pki/ca.crt" \
    --requestheader-allowed-names=front-proxy-client \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --requestheader-group-headers=X-Remote-Group --requestheader-username-headers=X-Remote-User \
    --proxy-client-cert-file="$pki/front-proxy.crt" --proxy-client-key-file="$pki/front-proxy.key" \
    --profiling=false
}

wait_for_api_server() { wait_until 60 "API server ready" inside kubectl get --raw /readyz; }

start_controllers() {
  start_daemon controller-manager "$state/in" kube-controller-manager \
    --kubeconfig="$state/controller-manager.kubeconfig" \
    --authentication-kubeconfig="$state/controller-manager.kubeconfig" \
    --authorization-kubeconfig="$state/controller-manager.kubeconfig" \
    --service-account-private-key-file="$state/pki/service-account.key" \
    --root-ca-file="$state/pki/ca.crt" --use-service-account-credentials=true \
    --cluster-signing-cert-file="$state/pki/ca.crt" --cluster-signing-key-file="$state/pki/ca.key" \
    --leader-elect=false --kube-api-qps=500 --kube-api-burst=1000
  cat >"$state/scheduler.yaml" <<CONFIG
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "$state/scheduler.kubeconfig", qps: 1000, burst: 2000}
leaderElection: {leaderElect: false}
CONFIG
  start_daemon scheduler "$state/in" kube-scheduler --config="$state/scheduler.yaml" \
    --authentication-kubeconfig="$state/scheduler.kubeconfig" \
    --authorization-kubeconfig="$state/scheduler.kubeconfig"
}

# Pods need no more of Services than the API server's address.
route_api_service() {
  local chain
  for chain in PREROUTING OUTPUT; do
    inside iptables -w -t nat -A "$chain" -d "$service_address/32" -p tcp --dport 443 \
      -j DNAT --to-destination "$api_address:6443"
  done
}
