# syntax=docker/dockerfile:1
# One image per service: docker build --build-arg SERVICE=feedback .
# Node runs the TypeScript as it is. It strips no types inside node_modules, so the workspace packages stay where they are: what
# node_modules has of them are links, and Node goes by the files that these lead to.

FROM node:24-bookworm-slim AS build
ARG SERVICE
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY libs/contracts/package.json libs/contracts/
COPY libs/rpc/package.json libs/rpc/
COPY libs/runtime/package.json libs/runtime/
COPY services/gateway/package.json services/gateway/
COPY services/keys/package.json services/keys/
COPY services/feedback/package.json services/feedback/
COPY services/workitems/package.json services/workitems/
COPY cli/package.json cli/
COPY widget/package.json widget/
RUN test -n "$SERVICE" || { echo 'Name the service: --build-arg SERVICE=keys|workitems|feedback|gateway'; exit 1; }
# With the command line (`docker compose exec keys node cli/main.ts org create …`), and for the gateway with what its widget is made of.
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --prod \
      --filter "@worktrack/$SERVICE..." --filter "@worktrack/cli..."
COPY libs libs
COPY cli cli
COPY services/$SERVICE services/$SERVICE

FROM node:24-bookworm-slim
ARG SERVICE
ENV NODE_ENV=production SERVICE=$SERVICE OPS_HOST=0.0.0.0 OPS_PORT=9090
WORKDIR /app
COPY --from=build /app ./
USER node
# The gateway's API, and health and metrics of every service.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.OPS_PORT+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["sh", "-c", "exec node services/$SERVICE/main.ts"]
