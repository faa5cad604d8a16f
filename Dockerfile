# csiflow with all that it needs to run, built from this folder:
#   docker build -t csiflow .
#   docker run --rm -p 127.0.0.1:8000:8000 csiflow
# It runs as a user without rights, writes to /data alone, and may have a read-only root (--read-only).

FROM node:24-bookworm-slim AS build
WORKDIR /csiflow
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run compile

FROM node:24-bookworm-slim AS dependencies
WORKDIR /csiflow
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force

FROM node:24-bookworm-slim
ENV NODE_ENV=production CSIFLOW_DATA=/data
WORKDIR /csiflow
COPY --from=dependencies /csiflow/node_modules ./node_modules
COPY --from=build /csiflow/dist ./dist
# What the compiled code reads: its version, the live page, weights of the networks, topologies to begin with.
COPY package.json LICENSE ./
COPY api/web/page ./api/web/page
COPY operators/infer-pose/weights ./operators/infer-pose/weights
COPY operators/detect-falls/weights ./operators/detect-falls/weights
COPY topologies ./topologies
COPY docs/operating/compose ./docs/operating/compose
RUN ln -s /csiflow/dist/api/cli/csiflow.js /usr/local/bin/csiflow \
  && chmod 755 dist/api/cli/csiflow.js \
  && install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8000/tcp 5005/udp
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["csiflow", "health"]
# SIGTERM takes a checkpoint first: give it the time (docker stop --time 30).
STOPSIGNAL SIGTERM
ENTRYPOINT ["csiflow"]
CMD ["run", "topologies/demo.yaml", "--host", "0.0.0.0"]
