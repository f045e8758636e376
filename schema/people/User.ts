/** A person, as every surface returns them. */
import { Schema } from "effect"
import { UserId } from "../Ids.ts"

export const User = Schema.Struct({
  id: UserId,
  email: Schema.String.annotations({ examples: ["ada@example.com"] }),
  name: Schema.NullOr(Schema.String.annotations({ examples: ["Ada"] }))
}).annotations({ identifier: "User" })
export type User = typeof User.Type
