# syntax=docker/dockerfile:1
# One image for all services; SERVICE says which one a container is: docker run -e SERVICE=feedback …
#
# Node runs the TypeScript as it is. It strips no types inside node_modules, so the workspace packages stay in their folders: what
# node_modules holds of them are links, and Node goes by the files that these lead to.

# Any Node 24 with npm; another one where images come from a mirror, for example.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM $NODE_IMAGE AS manifests
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY libs/contracts/package.json libs/contracts/
COPY libs/rpc/package.json libs/rpc/
COPY libs/runtime/package.json libs/runtime/
COPY services/events/package.json services/events/
COPY services/feedback/package.json services/feedback/
COPY services/gateway/package.json services/gateway/
COPY services/keys/package.json services/keys/
COPY services/workitems/package.json services/workitems/
COPY cli/package.json cli/
COPY console/package.json console/
COPY widget/package.json widget/

FROM manifests AS bundles
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --filter @worktrack/console... --filter @worktrack/widget... --filter @worktrack/cli...
COPY tsconfig.json ./
COPY libs libs
COPY cli cli
COPY console console
COPY widget widget
RUN node console/build/build.ts && node widget/build/build.ts && node cli/one-file/build.ts

# What others wrote changes more seldom than what we write, so it is a layer of its own; of it, only what runs: source maps, types, sources, manuals and the tests of
# packages are more than half of it.
FROM manifests AS dependencies
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --prod --filter './services/*...' --filter @worktrack/cli... \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) -delete \
  && find node_modules/.pnpm -regextype posix-extended -type d \
    -regex '.*/node_modules/(@[^/]+/)?[^@/][^/]*/(tests?|bench|benchmarks?|examples?|docs|\.github)' -prune -exec rm -r {} +
# What the image is made of, that of the pages included, for whoever looks for a component with a hole (https://cyclonedx.org).
RUN npx -y pnpm@12.21.0 sbom --prod --sbom-format cyclonedx --sbom-spec-version 1.6 --sbom-type application --out sbom.cdx.json --filter './services/*...' --filter @worktrack/cli... --filter @worktrack/console... --filter @worktrack/widget...

FROM dependencies AS services
COPY libs libs
COPY cli cli
COPY services services
COPY --from=bundles /app/console/dist console/dist
COPY --from=bundles /app/widget/dist widget/dist
COPY --from=bundles /app/cli/dist cli/dist
# Without settings a service loads all of itself and ends with code 78; what it has compiled makes each start of a container quicker.
ENV NODE_COMPILE_CACHE=/app/.compiled
RUN for service in services/*/; do node "$service/main.ts" 2>/dev/null; test $? -eq 78 || exit 1; done

FROM $NODE_IMAGE
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.compiled OPS_HOST=0.0.0.0 OPS_PORT=9090
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/package.json /app/sbom.cdx.json ./
COPY --from=services /app/console/dist console/dist
COPY --from=services /app/widget/dist widget/dist
COPY --from=services /app/cli cli
COPY --from=services /app/libs libs
COPY --from=services /app/services services
COPY --from=services /app/.compiled .compiled
# For what a gateway keeps (FEEDBACK_SPOOL_DIR): a new volume takes over from here whose it is.
RUN install -d -o 1000 -g 1000 /var/lib/worktrack
# The user `node` of the official image, by number: so an orchestrator can see that it is not root.
USER 1000:1000
# The gateway's API; health and metrics of every service.
EXPOSE 3000 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.OPS_PORT + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "-c", "exec node --max-semi-space-size=8 \"services/${SERVICE:?is one of events, feedback, gateway, keys, workitems}/main.ts\""]
