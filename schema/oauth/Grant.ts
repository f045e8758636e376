/** The access that a person gave to an app over OAuth: as the API lists it. */
import { Schema } from "effect"
import { described, orNull, textLike, Timestamp } from "../Fields.ts"
import { ApiKeyId, UserId } from "../Ids.ts"
import { Scope } from "../workspace/Workspace.ts"

export const Grant = Schema.Struct({
  id: ApiKeyId,
  app: textLike("Claude", "The app's own name for itself, which nobody has verified"),
  clientId: textLike("https://claude.ai/oauth/client.json", "The app's OAuth client_id"),
  redirectHost: textLike("claude.ai", "Where the browser went with the code after the person agreed"),
  scopes: Schema.Array(Scope),
  operations: orNull(Schema.Array(Schema.String), "The only operations that it can call; null for all that a member can"),
  createdAt: Timestamp,
  expiresAt: Timestamp.annotations({ description: "When it ends unless the app uses it" }),
  lastUsedAt: Schema.NullOr(Timestamp),
  createdBy: described(UserId, "Person who gave it")
}).annotations({ identifier: "Grant" })
export type Grant = typeof Grant.Type
