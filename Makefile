# SPDX-License-Identifier: Apache-2.0
# Each target installs what it lacks, builds what it needs, and stops what it started.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

.PHONY: help
help: ## Show this
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(if $(IMAGE),,needs-root deps) build ## Four failed Jobs, and whose problem each is (KEEP=1; KUBECONFIG=FILE IMAGE=REF for your own cluster)
	@e2e/demo/run

.PHONY: test
test: needs-root deps ## All tests: unit, fuzz, integration, e2e
	@.ci/test

# Said first, not after half an hour of building.
.PHONY: needs-root
needs-root:
	@[ "$$(id -u)" -eq 0 ] || { echo "make $(MAKECMDGOALS): the local cluster's namespaces and cgroups need root: sudo make $(MAKECMDGOALS)" >&2; exit 1; }

.PHONY: deps
deps: ## Install what is missing: Debian packages, Go
	@.ci/deps

.PHONY: deps-cxx
deps-cxx: ## Install what building and unit tests need
	@.ci/deps --without-go

.PHONY: build
build: deps-cxx ## Build build/attribution
	@.ci/build release attribution

.PHONY: unit
unit: deps-cxx ## Unit tests under ASan, UBSan and TSan
	@.ci/unit

.PHONY: integration
integration: needs-root deps ## Tests against a real etcd and API server
	@.ci/integration

.PHONY: e2e
e2e: needs-root deps ## Tests of the whole on a real cluster
	@.ci/e2e

.PHONY: bench
bench: deps ## Measure (tests/bench)
	@tests/bench/run

.PHONY: fuzz
fuzz: deps-cxx ## Fuzz what reads untrusted bytes (SECONDS=300 each)
	@tests/fuzz/run $(or $(SECONDS),300)

.PHONY: lint
lint: deps-cxx ## clang-format, clang-tidy, shellcheck
	@.ci/lint

.PHONY: format
format: deps-cxx ## Format the C++ sources
	@git ls-files -co --exclude-standard '*.cc' '*.h' | xargs clang-format -i

.PHONY: cluster-up
cluster-up: needs-root deps ## Start the local cluster and leave it running
	@e2e/cluster/up

.PHONY: cluster-down
cluster-down: ## End the local cluster
	@e2e/cluster/down

.PHONY: fresh
fresh: needs-root ## Prove the install steps in a minimal Debian 12
	@.ci/fresh

.PHONY: clean
clean: ## Remove what was built here (the cache outside the clone stays)
	@rm -rf build
