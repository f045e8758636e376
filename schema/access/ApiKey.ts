/** The input for a new API key, and the only response that contains a key's secret. */
import { Schema } from "effect"
import { list, name, optional, text, textLike, whole } from "../Fields.ts"
import { ApiKey, Scope } from "../workspace/Workspace.ts"

/** More than the number of operations, so that only mistakes exceed it. */
const maxOperations = 200

export const ApiKeyInput = Schema.Struct({
  name: name(80).annotations({ examples: ["deploy pipeline"] }),
  scopes: optional(list(Scope, 2).pipe(Schema.minItems(1))).annotations({
    description: "Default those that operations needs, or the caller's"
  }),
  expiresInDays: optional(whole(1, 3650), "Default: does not expire"),
  expiresInMinutes: optional(
    whole(1, 43_200),
    "Lifetime of a delegated key",
    60
  ),
  operations: optional(list(text(64), maxOperations).pipe(Schema.minItems(1))).annotations({
    description: "Tools that a delegated key can call",
    examples: [["list_monitors", "run_check"]]
  })
}).annotations({ identifier: "ApiKeyInput" })
export type ApiKeyInput = typeof ApiKeyInput.Type

export const ApiKeyWithSecret = Schema.Struct({
  ...ApiKey.fields,
  secret: textLike(
    "bell_live_0000000000000000000000000000000000000000",
    "The key itself, to send as Authorization: Bearer. Returned only once"
  )
}).annotations({ identifier: "ApiKeyWithSecret" })
export type ApiKeyWithSecret = typeof ApiKeyWithSecret.Type
