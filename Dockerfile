# tradeform as a container:
#   docker run --rm --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" -v "$PWD:/work" -e TRADEFORM_TOKEN tradeform plan
#
# Built from the sources of this repository; what runs holds the packed program, Node, git and ssh, and nothing of the build.
#
# The image that both steps begin with. A tag moves: name the digest that you looked at, which
# `docker buildx imagetools inspect node:24-slim` prints, with --build-arg NODE_IMAGE=node:24-slim@sha256:….
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
# The commit that is built, for `tradeform --version -o json`: the context has no .git.
ARG SOURCE_COMMIT
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && npm pack --pack-destination /tmp

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="tradeform" \
      org.opencontainers.image.description="Declarative GitOps reconciler for trading-task configurations" \
      org.opencontainers.image.licenses="Apache-2.0"
# openssh-client: a clone by a deploy key (deploy/kubernetes). git: `plan --base` and `drift` read the history. git refuses a repository of another user, and so does tradeform: run the
# container as the user whom the mounted folder belongs to (--user).
# Whatever Debian has now: a version that is named here would be gone with its next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/tradeform-*.tgz /tmp/
RUN npm install --global --offline --ignore-scripts --no-audit --no-fund /tmp/tradeform-*.tgz \
 && rm -rf /tmp/tradeform-*.tgz /root/.npm
# The user `node` of the image, unless --user says otherwise.
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["tradeform"]
CMD ["--help"]
