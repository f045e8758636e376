/** Serves the status of third parties in the registry. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ReadUpstream } from "../../operations/upstream/ReadUpstream.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const UpstreamsLive = operationGroup(
  Api,
  "Upstream status",
  (handlers) =>
    Effect.map(
      ReadUpstream,
      (upstreams) =>
        handlers
          .handle("list_upstreams", () => Effect.succeed({ data: upstreams.catalogue, next: null }))
          .handle("upstream_status", ({ path }) => upstreams.status(path.service, path.component))
    )
)
