# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The namespaces that everything runs in, and what a kubelet needs to find in them.

# hold FILE COMMAND... : starts a process that does nothing but hold the namespaces that COMMAND
# makes, and writes its pid to FILE. When it ends, the kernel ends everything in its pid namespace.
# A subshell that signals can't interrupt: a holder that nobody wrote down would stay for ever.
hold() (
  trap '' INT TERM HUP
  file=$1
  shift
  "$@" "$programs/pause" </dev/null >/dev/null 2>"$state/log/holder.log" &
  launcher=$!
  disown "$launcher"
  for ((i = 0; i < 500; ++i)); do
    child=$(find_pause "$launcher")
    if [[ -n $child ]]; then
      echo "$child" >"$file"
      exit 0
    fi
    sleep 0.02
  done
  kill -KILL "$launcher" 2>/dev/null || true
  echo "cluster: cannot make namespaces: $(cat "$state/log/holder.log")" >&2
  exit 1
)

# The descendant of a process that is our pause program by now.
find_pause() {
  local pid=$1 child children=()
  # It may be gone by now.
  { read -r -a children <"/proc/$pid/task/$pid/children"; } 2>/dev/null || true
  for child in "${children[@]}"; do
    if [[ $(readlink "/proc/$child/exe" 2>/dev/null) == "$(readlink -f "$programs/pause")" ]]; then
      echo "$child"
      return 0
    fi
    find_pause "$child"
  done
}

# write_entry FILE PID: a wrapper that runs a command in the namespaces of PID.
write_entry() {
  cat >"$1" <<ENTRY
#!/bin/sh
export PATH=$programs:/usr/sbin:/usr/bin:/sbin:/bin
export KUBECONFIG=\${KUBECONFIG_INSIDE:-$state/kubeconfig}
export CONTAINERD_ADDRESS=/run/containerd/containerd.sock
exec nsenter -t $2 -p -m -n -i --wd="\$PWD" "\$@"
ENTRY
  chmod +x "$1"
}

make_cluster_namespaces() {
  hold "$state/holder" unshare --pid --net --mount --ipc --propagation private --fork --kill-child
  write_entry "$state/in" "$(cat "$state/holder")"
  # The kubelet checks these and would write them on the host: plain files in their place.
  mkdir -p "$state/sysctl"
  local name value
  while read -r name value; do
    printf '%s\n' "$value" >"$state/sysctl/$name"
  done <<'SYSCTLS'
vm.overcommit_memory 1
vm.panic_on_oom 0
kernel.panic 10
kernel.panic_on_oops 1
kernel.keys.root_maxkeys 1000000
kernel.keys.root_maxbytes 25000000
SYSCTLS
  inside sh -euc "
    mount -t proc proc /proc
    mount -t tmpfs tmpfs /run
    mkdir -p /run/etcd
    mount -t tmpfs tmpfs /run/etcd
    cd '$state/sysctl'
    for name in *; do mount --bind \"\$name\" \"/proc/sys/\$(echo \"\$name\" | tr . /)\"; done
    ip link set lo up
    ip link add control type bridge
    ip addr add $api_address/24 dev control
    ip addr add $kwok_address/24 dev control
    ip link set control up
    ip route add default dev control
    echo 1 >/proc/sys/net/ipv4/ip_forward"
}

make_node_namespaces() {
  local node=$1 dir=$state/node-$1
  mkdir -p "$dir/varlog/journal"
  touch "$dir/varlog/kern.log"
  # Own mounts only: nodes share network and processes with the cluster, so that one kill ends all.
  hold "$dir/holder" nsenter -t "$(cat "$state/holder")" -p -m -n -i \
    unshare --mount --propagation private --fork --kill-child
  write_entry "$dir/in" "$(cat "$dir/holder")"
  cat /proc/sys/kernel/random/uuid >"$dir/boot_id"
  inside ip addr add "$(node_address "$node")/24" dev control
  in_node "$node" sh -euc "
    mount --bind '$dir/varlog' /var/log
    mount -t tmpfs tmpfs /run
    mkdir -p /run/containerd
    mount --bind '$dir/boot_id' /proc/sys/kernel/random/boot_id"
  make_node_cgroup "$node"
}

# The kubelet wants its cgroup root to exist, with the controllers that it limits pods by.
make_node_cgroup() {
  local folder controllers
  for folder in $(cgroup_folders "$1"); do
    mkdir -p "$folder"
    case $folder in
      /sys/fs/cgroup/cpuset/*)
        # A cpuset without processors and memory takes no process.
        cat /sys/fs/cgroup/cpuset/cpuset.cpus >"$folder/cpuset.cpus"
        cat /sys/fs/cgroup/cpuset/cpuset.mems >"$folder/cpuset.mems"
        ;;
      "/sys/fs/cgroup/$(cgroup_of_node "$1")")
        # Version 2: what a parent does not hand down its children do not have.
        controllers="+cpu +cpuset +io +memory +pids"
        echo "$controllers" >/sys/fs/cgroup/cgroup.subtree_control
        echo "$controllers" >"$folder/cgroup.subtree_control"
        ;;
    esac
  done
}
