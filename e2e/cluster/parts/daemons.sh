# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Long-running programs inside the cluster's namespaces.

# start_daemon NAME ENTER COMMAND...: ENTER is the wrapper of the namespaces to run in. What was
# started is remembered, so that it can be started again.
start_daemon() {
  local name=$1 enter=$2
  shift 2
  mkdir -p "$state/daemons" "$state/log" "$state/pid"
  printf '%q ' "$enter" "$@" >"$state/daemons/$name"
  launch_daemon "$name"
}

launch_daemon() {
  local name=$1 command launcher child i
  command=$(cat "$state/daemons/$name")
  # Must not keep our standard output: whoever reads it would wait for the daemon's end.
  bash -c "exec $command" >>"$state/log/$name.log" 2>&1 </dev/null &
  launcher=$!
  disown "$launcher"
  # nsenter forks into the pid namespace: the daemon is its child.
  for ((i = 0; i < 200; ++i)); do
    child=$(tr -d ' ' <"/proc/$launcher/task/$launcher/children" 2>/dev/null || true)
    if [[ -n $child ]]; then break; fi
    sleep 0.01
  done
  echo "${child:-$launcher}" >"$state/pid/$name"
}

# stop_daemon NAME SIGNAL: waits for its end.
stop_daemon() {
  local pid i
  pid=$(cat "$state/pid/$1")
  kill "-$2" "$pid" 2>/dev/null || true
  for ((i = 0; i < 600; ++i)); do
    if [[ ! -d /proc/$pid ]]; then return 0; fi
    sleep 0.1
  done
  echo "cluster: $1 (pid $pid) has not ended" >&2
  return 1
}
