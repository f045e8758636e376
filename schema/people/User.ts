/** A person, as every surface returns them. */
import { Schema } from "effect"
import { textLike } from "../Fields.ts"
import { UserId } from "../Ids.ts"

export const User = Schema.Struct({
  id: UserId,
  email: textLike("ada@example.com"),
  name: Schema.NullOr(textLike("Ada"))
}).annotations({ identifier: "User" })
export type User = typeof User.Type
