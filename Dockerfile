# syntax=docker/dockerfile:1
# An image that serves and imports, and holds nothing else: no npm, no compiler, no sources, no tools. What is in
# it is gathered by deploy/image.sh; how large it is, and how it is run: docs/OPERATIONS.md.

FROM node:22-bookworm-slim AS build
WORKDIR /build
# make and git: the build is the Makefile's, and says which commit it is of. strip makes node smaller.
RUN apt-get update && apt-get upgrade -y && apt-get install -y --no-install-recommends make git binutils
COPY package.json package-lock.json .npmrc ./
RUN npm ci --workspaces=false && touch node_modules/.installed
COPY . .
RUN make build
RUN npm ci --workspaces=false --omit=dev --ignore-scripts && sh deploy/image.sh /build /image && mkdir /no-data

FROM scratch
LABEL org.opencontainers.image.title="Tablegate" \
      org.opencontainers.image.description="Read-only HTTP gateway to Tableland's SQL tables" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /image /
# A copy belongs to root, but for this: what a new volume at /data begins with.
COPY --from=build --chown=10001:10001 /no-data /data
WORKDIR /app
USER 10001:10001
ENV PATH=/usr/local/bin:/bin \
    NODE_ENV=production \
    TABLEGATE_DATA=/data \
    TABLEGATE_HOST=0.0.0.0 \
    TABLEGATE_PORT=8080 \
    TABLEGATE_METRICS_HOST=0.0.0.0 \
    TABLEGATE_METRICS_PORT=9464 \
    TABLEGATE_LOG_FORMAT=json
VOLUME /data
EXPOSE 8080 9464
# The program itself asks: there is no curl.
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 \
    CMD ["node", "/app/dist/cli/health-check.js"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
