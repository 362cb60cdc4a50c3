# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Kueue's manager as a process beside the control plane, and queues for GPU Jobs.

# The module's own manifests, less what a process beside the cluster doesn't need, with our CA in
# each webhook.
kueue_manifests() {
  "$programs/kubectl" kustomize "$programs/kueue-config/config/default" |
    CA=$(base64 -w0 "$state/pki/ca.crt") perl -0777 -e '
      for (split /^---\n/m, <STDIN>) {
        next if /^kind: (Deployment|APIService)$/m;
        s/^  selector:\n(    .*\n)+//m if /^kind: Service$/m;
        s/^( *)(- )?clientConfig:\n/my $i = $1 . ($2 ? "  " : ""); "$1" . ($2 || "") . "clientConfig:\n$i  caBundle: $ENV{CA}\n"/gme;
        print "---\n$_";
      }'
}

start_kueue() {
  local certificates=$state/kueue-certificates
  mkdir -p "$certificates" "$state/kueue-etc/upper" "$state/kueue-etc/work"
  cp "$state/pki/kueue.crt" "$certificates/tls.crt"
  cp "$state/pki/kueue.key" "$certificates/tls.key"
  # With certificates of its own the manager wants them at a fixed place as well.
  inside sh -euc "
    mount -t overlay overlay -o lowerdir=/etc,upperdir=$state/kueue-etc/upper,workdir=$state/kueue-etc/work /etc
    mkdir -p /etc/kueue/metrics/certs
    cp $certificates/* /etc/kueue/metrics/certs/"
  kueue_manifests >"$state/kueue.yaml"
  inside kubectl apply --server-side -f "$state/kueue.yaml" >"$state/log/kueue-apply.log"
  inside kubectl apply -f - >>"$state/log/kueue-apply.log" <<MANIFEST
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kueue-webhook, namespace: kueue-system, labels: {kubernetes.io/service-name: kueue-webhook-service}}
addressType: IPv4
ports: [{name: "", port: 9443, protocol: TCP}]
endpoints: [{addresses: ["$api_address"], conditions: {ready: true}}]
MANIFEST
  cat >"$state/kueue-config.yaml" <<CONFIG
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
health: {healthProbeBindAddress: ":8081"}
metrics: {bindAddress: "0"}
webhook: {port: 9443, certDir: "$certificates"}
internalCertManagement: {enable: false}
leaderElection: {leaderElect: false}
featureGates: {VisibilityOnDemand: false}
clientConnection: {qps: 200, burst: 400}
integrations: {frameworks: ["batch/job"]}
CONFIG
  start_daemon kueue "$state/in" kueue --config="$state/kueue-config.yaml" \
    --kubeconfig="$state/kueue.kubeconfig" --zap-log-level=2
  wait_until 60 "Kueue ready" inside curl -sf "http://$api_address:8081/readyz"
  wait_until 30 "Kueue's webhooks" inside kubectl apply -f "$cluster_root/kueue-queues.yaml"
}
