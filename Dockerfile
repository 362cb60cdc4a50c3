# SPDX-License-Identifier: Apache-2.0
# The operator's image for those who have Docker, Podman or Buildah: docker build -t attribution .
# e2e/image/build makes the same without any of them.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates
WORKDIR /src
COPY . .
RUN make build && strip build/attribution
# The program, the libraries that it asks for, and nothing else.
RUN mkdir -p /image/usr/local/bin /image/etc/ssl/certs /image/tmp && chmod 1777 /image/tmp \
 && cp build/attribution /image/usr/local/bin/ \
 && ln -s attribution /image/usr/local/bin/kubectl-attribution \
 && ldd build/attribution | awk '/=> \//{print $3} /ld-linux/{print $1}' | xargs -I{} cp -L --parents {} /image \
 && cp -L /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && printf 'root:x:0:0:root:/:/sbin/nologin\nattribution:x:10001:10001:attribution:/:/sbin/nologin\n' > /image/etc/passwd \
 && printf 'root:x:0:\nattribution:x:10001:\n' > /image/etc/group \
 && echo 'hosts: files dns' > /image/etc/nsswitch.conf

FROM scratch
COPY --from=build /image/ /
USER 10001:10001
ENV PATH=/usr/local/bin
ENTRYPOINT ["/usr/local/bin/attribution"]
