# syntax=docker/dockerfile:1
# One image for each service: docker build --build-arg SERVICE=feedback .
#
# Node runs the TypeScript as it is. It strips no types inside node_modules, so the workspace packages stay in their folders: what
# node_modules holds of them are links, and Node goes by the files that these lead to.

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY libs/contracts/package.json libs/contracts/
COPY libs/rpc/package.json libs/rpc/
COPY libs/runtime/package.json libs/runtime/
COPY services/feedback/package.json services/feedback/
COPY services/gateway/package.json services/gateway/
COPY services/keys/package.json services/keys/
COPY services/workitems/package.json services/workitems/
COPY cli/package.json cli/
COPY widget/package.json widget/

FROM manifests AS widget
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --filter @worktrack/widget...
COPY tsconfig.json ./
COPY libs/contracts libs/contracts
COPY widget widget
RUN node widget/build.ts

FROM manifests AS service
ARG SERVICE
RUN test -f "services/$SERVICE/package.json" || { echo 'Name a service: --build-arg SERVICE=feedback|gateway|keys|workitems'; exit 1; }
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --prod --filter "@worktrack/$SERVICE..." --filter @worktrack/cli...
COPY libs libs
COPY cli cli
COPY services/$SERVICE services/$SERVICE
COPY --from=widget /app/widget/dist widget/dist
# Without settings a service loads all of itself and ends with code 78; what it has compiled makes each start of the image quicker.
ENV NODE_COMPILE_CACHE=/app/.compiled
RUN node "services/$SERVICE/main.ts" 2>/dev/null; test $? -eq 78

FROM node:24-bookworm-slim
ARG SERVICE
ENV NODE_ENV=production SERVICE=$SERVICE NODE_COMPILE_CACHE=/app/.compiled OPS_HOST=0.0.0.0 OPS_PORT=9090
WORKDIR /app
COPY --from=service /app ./
USER node
# The gateway's API; health and metrics of every service.
EXPOSE 3000 9090
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.OPS_PORT + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "-c", "exec node services/$SERVICE/main.ts"]
