# The embedded service in one container. Build: docker compose build
# Chromium's sandbox needs seccomp.json, see docs/operations.md.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# npm may leave install scripts out; Bun's own puts its binary in place. npm before 11.6 leaves the folder of the
# compiler's optional packages although it omits development packages.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@typescript \
  && (node_modules/bun/bin/bun.exe --version || node node_modules/bun/install.js) \
  && node_modules/bun/bin/bun.exe --version

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Gleaner" org.opencontainers.image.version="1.0.0-rc.1"
# Fonts: Latin, Greek and Cyrillic; Chinese, Japanese and Korean; emoji. The environment of process 1 holds secrets: of a
# program that its user cannot read (tini) nobody else of that user can read it either, extractors among them.
RUN useradd --system --uid 900 --create-home gleaner \
  && install -d -o gleaner -g gleaner -m 700 /data \
  && apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates chromium tini \
    fonts-liberation fonts-wqy-microhei fonts-noto-color-emoji \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/* \
  && chmod 711 /usr/bin/tini
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY . .
RUN printf '#!/bin/sh\nexec /app/node_modules/bun/bin/bun.exe /app/src/main.ts "$@"\n' > /usr/local/bin/gleaner \
  && chmod 755 /usr/local/bin/gleaner
USER gleaner
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data CHROMIUM_PATH=/usr/bin/chromium NODE_ENV=production
VOLUME /data
EXPOSE 3000
# node:http goes straight to the server; fetch would ask the proxy that Docker's own settings may put in HTTP_PROXY.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node_modules/bun/bin/bun.exe", "-e", "require('node:http').get(`http://127.0.0.1:${process.env.PORT}/readyz`, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# tini is process 1: it passes SIGTERM on and reaps orphaned processes.
ENTRYPOINT ["tini", "--", "gleaner"]
CMD ["serve"]
