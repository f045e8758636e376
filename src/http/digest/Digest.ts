/** Serves the weekly digest. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageDigest } from "../../operations/digest/ManageDigest.ts"
import { asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const DigestLive = operationGroup(Api, "Digest", (handlers) =>
  Effect.map(ManageDigest, (manage) =>
    handlers
      .handle("get_digest_settings", () => asCaller(manage.settings))
      .handle("update_digest_settings", ({ payload }) => asCaller((caller) => manage.update(caller, payload)))
      .handle("preview_digest", ({ payload }) => inWorkspace((id) => manage.preview(id, payload)))))
