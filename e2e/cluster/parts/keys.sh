# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Certificates and kubeconfigs.

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

# certify NAME SUBJECT ALTERNATIVE_NAMES
certify() {
  local pki=$state/pki
  new_key "$pki/$1.key"
  openssl req -new -key "$pki/$1.key" -subj "$2" |
    openssl x509 -req -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -set_serial "0x$(openssl rand -hex 8)" \
      -days 30 -out "$pki/$1.crt" \
      -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$3") 2>/dev/null
}

# write_kubeconfig FILE NAME
write_kubeconfig() {
  cat >"$1" <<CONFIG
apiVersion: v1
kind: Config
current-context: cluster
contexts:
- name: cluster
  context: {cluster: cluster, user: user}
clusters:
- name: cluster
  cluster: {server: "https://$api_address:6443", certificate-authority: "$state/pki/ca.crt"}
users:
- name: user
  user: {client-certificate: "$state/pki/$2.crt", client-key: "$state/pki/$2.key"}
CONFIG
}

make_keys() {
  local pki=$state/pki node
  mkdir -p "$pki"
  new_key "$pki/ca.key"
  openssl req -x509 -new -key "$pki/ca.key" -out "$pki/ca.crt" -days 30 -subj /CN=cluster-ca
  new_key "$pki/service-account.key"
  openssl ec -in "$pki/service-account.key" -pubout -out "$pki/service-account.pub" 2>/dev/null
  certify apiserver /CN=kube-apiserver \
    "IP:127.0.0.1,IP:$api_address,IP:$service_address,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  certify admin /O=system:masters/CN=admin DNS:admin
  certify front-proxy /CN=front-proxy-client DNS:front-proxy
  certify controller-manager /CN=system:kube-controller-manager DNS:controller-manager
  certify scheduler /CN=system:kube-scheduler DNS:scheduler
  certify kwok /O=system:masters/CN=kwok "DNS:kwok,IP:$kwok_address"
  certify kueue /O=system:masters/CN=kueue "DNS:kueue-webhook-service.kueue-system.svc,IP:$api_address"
  for node in 1 2; do
    certify "node-$node" "/O=system:nodes/CN=system:node:node-$node" \
      "DNS:node-$node,IP:$(node_address "$node")"
    mkdir -p "$state/node-$node"
    write_kubeconfig "$state/node-$node/kubeconfig" "node-$node"
  done
  write_kubeconfig "$state/kubeconfig" admin
  for name in controller-manager scheduler kwok kueue; do
    write_kubeconfig "$state/$name.kubeconfig" "$name"
  done
}
