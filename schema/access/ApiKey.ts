/** How API keys are asked for, and the one answer that holds a key's secret. */
import { Schema } from "effect"
import { list, name, optional, text, whole } from "../Fields.ts"
import { ApiKey, Scope } from "../workspace/Workspace.ts"

/** More than there are operations is a mistake. */
const maxOperations = 200

export const ApiKeyInput = Schema.Struct({
  name: name(80).annotations({ examples: ["deploy pipeline"] }),
  scopes: optional(list(Scope, 2).pipe(Schema.minItems(1))).annotations({
    description: "What the key may do; write holds read. Default: what operations need, or both"
  }),
  expiresInDays: optional(whole(1, 3650).annotations({ description: "Default: it does not expire" })),
  expiresInMinutes: optional(
    whole(1, 43_200).annotations({
      description:
        "For a short-lived key, up to 30 days. Asked for with a key, it is delegated: it ends with that key at the latest",
      examples: [60]
    })
  ),
  operations: optional(list(text(64), maxOperations).pipe(Schema.minItems(1))).annotations({
    description: "The only operations that the key may call, by their ids, beside whoami. Asked for with a key, it is delegated",
    examples: [["list_monitors", "run_check"]]
  })
}).annotations({ identifier: "ApiKeyInput" })
export type ApiKeyInput = typeof ApiKeyInput.Type

export const ApiKeyWithSecret = Schema.Struct({
  ...ApiKey.fields,
  secret: Schema.String.annotations({
    description: "The key itself, shown this once",
    examples: ["bell_live_0000000000000000000000000000000000000000"]
  })
}).annotations({ identifier: "ApiKeyWithSecret" })
export type ApiKeyWithSecret = typeof ApiKeyWithSecret.Type
