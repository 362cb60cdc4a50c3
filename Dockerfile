# SPDX-License-Identifier: Apache-2.0
# The operator's image: docker build -t REF .   (or podman, or buildah)
# e2e/image/build makes the same one from build/attribution without a container engine.
ARG DEBIAN=debian:bookworm-slim

FROM ${DEBIAN} AS build
WORKDIR /src
# The packages first: they change less often than the code.
COPY .ci/deps .ci/packages.txt .ci/
RUN .ci/deps --without-go
COPY . .
RUN cmake --preset release -DATTRIBUTION_TESTS=OFF >/dev/null \
    && cmake --build --preset release --parallel "$(nproc)" --target attribution
RUN e2e/image/rootfs build/attribution /rootfs \
    && mkdir /programs \
    && strip -o /programs/attribution build/attribution \
    && ln -s attribution /programs/kubectl-attribution

FROM scratch
COPY --from=build /rootfs/ /
COPY --from=build /programs/ /usr/local/bin/
ENV PATH=/usr/local/bin
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/attribution"]
