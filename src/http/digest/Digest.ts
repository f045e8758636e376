/** Serves the weekly digest. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageDigest } from "../../operations/digest/ManageDigest.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const DigestLive = operationGroup(Api, "Digest", (handlers) =>
  Effect.map(ManageDigest, (manage) =>
    handlers
      .handle("get_digest_settings", () => Effect.flatMap(Access, manage.settings))
      .handle("update_digest_settings", ({ payload }) => Effect.flatMap(Access, (caller) => manage.update(caller, payload)))
      .handle(
        "preview_digest",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => manage.preview(workspaceId, payload))
      )))
