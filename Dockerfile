# The embedded service in one container. Build: docker compose build
FROM node:22-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# npm may leave install scripts out; Bun's own puts its binary in place.
RUN npm ci --omit=dev --no-audit --no-fund \
  && (node_modules/bun/bin/bun.exe --version || node node_modules/bun/install.js) \
  && node_modules/bun/bin/bun.exe --version

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates chromium tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --create-home gleaner \
  && install -d -o gleaner -g gleaner -m 700 /data
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY . .
USER gleaner
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data CHROMIUM_PATH=/usr/bin/chromium NODE_ENV=production
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node_modules/bun/bin/bun.exe", "-e", "const {ok} = await fetch(`http://127.0.0.1:${process.env.PORT}/readyz`); process.exit(ok ? 0 : 1)"]
# tini is process 1: it hands SIGTERM on and buries what extractors leave behind.
ENTRYPOINT ["tini", "--", "node_modules/bun/bin/bun.exe", "src/main.ts"]
CMD ["serve"]
