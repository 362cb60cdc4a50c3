# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by everything here: where things are, and what they are called. All names of a cluster
# derive from its id, so that several can run side by side.

cluster_root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/attribution

# read_id "$@": takes `--id ID` out of the arguments; the others stay in `arguments`.
read_id() {
  cluster_id=attribution
  arguments=()
  while (($# > 0)); do
    case $1 in
      --id)
        cluster_id=${2:?--id needs a name}
        shift 2
        ;;
      *)
        arguments+=("$1")
        shift
        ;;
    esac
  done
  if [[ ! $cluster_id =~ ^[a-z0-9][a-z0-9-]{0,30}$ ]]; then
    echo "cluster: --id \"$cluster_id\": use lower case letters, digits and dashes" >&2
    exit 2
  fi
  state=${TMPDIR:-/tmp}/attribution-cluster-$cluster_id
}

# Runs a command in the cluster's namespaces.
inside() { "$state/in" "$@"; }
# ... of one node: in_node 1 ctr images ls
in_node() {
  local node=$1
  shift
  "$state/node-$node/in" "$@"
}

# Inside the cluster's own network namespace, so the same for every cluster.
api_address=10.88.9.1
kwok_address=10.88.9.2
node_address() { echo "10.88.9.$((10 + $1))"; }
pod_range() { echo "10.88.$(($1 * 16)).0/20"; }
service_range=10.96.0.0/16
service_address=10.96.0.1

cgroup_of_node() { echo "attribution-$cluster_id-$1"; }
# All folders that the cgroup of a node may have: one in each hierarchy of version 1, or a single one
# where the machine has version 2 only.
cgroup_folders() {
  local hierarchy name
  name=$(cgroup_of_node "$1")
  if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
    echo "/sys/fs/cgroup/$name"
    return
  fi
  for hierarchy in cpu cpuacct cpuset memory devices freezer blkio pids systemd unified; do
    if [[ -d /sys/fs/cgroup/$hierarchy ]]; then echo "/sys/fs/cgroup/$hierarchy/$name"; fi
  done
}

# step WHAT COMMAND...: says what is being done and how long it took.
step() {
  local what=$1 began
  shift
  began=$(date +%s%3N)
  "$@"
  printf '  %-46s %6.1f s\n' "$what" "$(($(date +%s%3N) - began))e-3"
}

# wait_until SECONDS WHAT COMMAND...: tries ten times a second.
wait_until() {
  local limit=$1 what=$2 i
  shift 2
  for ((i = 0; i < limit * 10; ++i)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "cluster: $what: not after $limit s; the logs are in $state/log" >&2
  return 1
}
