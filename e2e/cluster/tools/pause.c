// SPDX-License-Identifier: Apache-2.0
// Does nothing: the first process of a pod, and the one that holds a cluster's namespaces.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void End(int number) {
  (void)number;
  _exit(0);
}

// As process 1 it inherits orphans.
static void Reap(int number) {
  (void)number;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

int main(void) {
  struct sigaction end = {.sa_handler = End};
  struct sigaction reap = {.sa_handler = Reap, .sa_flags = SA_NOCLDSTOP};
  sigaction(SIGINT, &end, 0);
  sigaction(SIGTERM, &end, 0);
  sigaction(SIGCHLD, &reap, 0);
  for (;;) pause();
}
