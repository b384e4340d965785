# tradeform as a container: `docker run --rm -v "$PWD:/work" -e TRADEFORM_TOKEN tradeform plan`.
#
# Built from the sources of this repository; what runs holds the packed program, Node and git, and nothing of the build.
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm pack --ignore-scripts --pack-destination /tmp

FROM node:22-slim
LABEL org.opencontainers.image.title="tradeform" \
      org.opencontainers.image.description="Declarative GitOps reconciler for trading-task configurations" \
      org.opencontainers.image.licenses="Apache-2.0"
# git: `plan --base` and `drift` read the history. What is mounted belongs to another user than the one in here.
# Whatever Debian has now: a version that is named here would be gone with its next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory '*'
COPY --from=build /tmp/tradeform-*.tgz /tmp/
RUN npm install --global --offline --ignore-scripts --no-audit --no-fund /tmp/tradeform-*.tgz \
 && rm -rf /tmp/tradeform-*.tgz /root/.npm
# The user `node` of the image.
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["tradeform"]
CMD ["--help"]
